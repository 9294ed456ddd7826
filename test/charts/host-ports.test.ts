import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chartNames } from '../../build/charts.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { podOf, workloadsOf } from './service-charts.ts';
import { rendering } from './support.ts';

describe('Pods sharing a node', { skip: (await canRunHelm()) ?? false }, () => {
  test("no two Pods on the host's network share a port, with all sidecars", async () => {
    const owners = new Map<number, string>();
    for (const name of chartNames()) {
      await using helm = await rendering(name);
      const rendered = await helm.render({ global: { logs: { enabled: true, url: 'http://logs:9200' } } });
      for (const workload of workloadsOf(rendered)) {
        const { containers, initContainers, hostNetwork } = podOf(workload);
        if (hostNetwork !== true) continue;
        const ports = [...containers, ...initContainers].flatMap((one) => one.ports ?? []);
        for (const { containerPort } of ports) {
          assert.equal(owners.get(containerPort), undefined, `${containerPort}: ${workload.metadata.name}`);
          owners.set(containerPort, workload.metadata.name);
        }
      }
    }
    assert.ok(owners.size >= 7, [...owners.values()].join(' '));
  });
});
