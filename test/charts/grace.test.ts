import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chartNames } from '../../build/charts.ts';
import { osloOption } from '../../src/oslo/ini.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { configJsonOf, filesOf, keyOf, mainOf, podOf, SERVICE_CHARTS, textAt, workloadsOf } from './service-charts.ts';
import { rendering, type KubeObject, type Rendered } from './support.ts';

/** Time for kolla-sidecar after the service has exited: log-ship's grace period and 5 s (docs/reference/kolla-sidecar.md). */
const SIDECAR_SECONDS = 20 + 5;

/** Options for the shutdown timeout of a service, as its files set them. */
const OPTION = /^(graceful_shutdown_timeout|manager_shutdown_timeout|worker-reload-mercy) = (\d+)$/gm;

/** Programs that use oslo.config, but not oslo.service for their shutdown. */
const NOT_OSLO_SERVICE = new Set(['uwsgi', 'nova-novncproxy']);

/** Servers without such an option: the preStop of their Pods and their own defaults apply. */
const NO_OPTION = new Set(['mariadb', 'memcached', 'rabbitmq']);

/** Charts whose processes are all uWSGI or Apache. */
const NO_OSLO_SERVICE = new Set<string>(['glance', 'horizon', 'placement']);

interface Stops {
  readonly lifecycle?: { readonly preStop?: { readonly sleep?: { readonly seconds: number } } };
}

/** Seconds between SIGTERM to the service and SIGKILL, excluding kolla-sidecar's share. */
function secondsToStop(workload: KubeObject): number {
  const { terminationGracePeriodSeconds: grace } = podOf(workload) as unknown as Record<string, number>;
  const preStop = (mainOf(workload) as Stops).lifecycle?.preStop?.sleep?.seconds ?? 0;
  return (grace ?? 0) - preStop - SIDECAR_SECONDS;
}

function optionsOf(all: Rendered, one: KubeObject): [option: string, seconds: number][] {
  const texts = [...filesOf(all, one).values()];
  return texts.flatMap((text) =>
    [...text.matchAll(OPTION)].map(([, name = '', value]): [string, number] => [name, Number(value)]),
  );
}

async function rendered(chart: string, values: object = {}): Promise<Rendered> {
  await using helm = await rendering(chart);
  return await helm.render(values);
}

function workloadOf(all: Rendered, key: string): KubeObject {
  const found = workloadsOf(all).find((one) => keyOf(one) === key);
  assert.ok(found, `no workload ${key}`);
  return found;
}

/** The main oslo.config file of a workload. */
function osloTextOf(all: Rendered, one: KubeObject): string | undefined {
  const files = filesOf(all, one);
  const texts = configJsonOf(files).config_files.map(({ dest }) => textAt(files, dest) ?? '');
  return texts.find((text) => /^\[DEFAULT\]\n(?:.*\n)*?transport_url = /m.test(text));
}

describe("a service's shutdown timeout", { skip: (await canRunHelm()) ?? false }, () => {
  for (const chart of chartNames())
    test(`${chart}: fits into the grace period of its Pods, in addition to preStop and kolla-sidecar`, async () => {
      const all = await rendered(chart, { logs: { enabled: true } });
      let found = 0;
      for (const one of workloadsOf(all))
        for (const [option, seconds] of optionsOf(all, one)) {
          found++;
          const left = secondsToStop(one);
          assert.ok(seconds > 0 && seconds <= left, `${one.metadata.name}: ${option} = ${seconds}, of ${left} s`);
        }
      assert.equal(found === 0, NO_OPTION.has(chart), `${found} options`);
    });

  for (const chart of SERVICE_CHARTS)
    test(`${chart}: is set for each oslo.service process, whose default may be longer`, async () => {
      const all = await rendered(chart);
      let found = 0;
      for (const one of workloadsOf(all)) {
        const text = osloTextOf(all, one);
        const [program = ''] = configJsonOf(filesOf(all, one)).command.split(' ');
        if (text === undefined || NOT_OSLO_SERVICE.has(program)) continue;
        found++;
        assert.match(osloOption(text, 'DEFAULT', 'graceful_shutdown_timeout') ?? '', /^\d+$/, one.metadata.name);
      }
      assert.equal(found === 0, NO_OSLO_SERVICE.has(chart), `${found} processes`);
    });

  test("Nova's managers have a shorter timeout than the service, as Nova requires", async () => {
    for (const [chart, key] of [
      ['nova', 'scheduler'],
      ['nova-cell', 'conductor'],
      ['nova-compute', 'compute'],
    ] as const) {
      const all = await rendered(chart);
      const options = Object.fromEntries(optionsOf(all, workloadOf(all, key)));
      assert.ok((options['manager_shutdown_timeout'] ?? 0) > 20, '2026.2 does not wait for tasks with 20 or less');
      assert.ok((options['manager_shutdown_timeout'] ?? 0) < (options['graceful_shutdown_timeout'] ?? 0));
    }
  });

  test('follows the grace period of the workloads that read the file', async () => {
    const workloads = {
      compute: { terminationGracePeriodSeconds: 330 },
      libvirt: { terminationGracePeriodSeconds: 30 },
    };
    const nodes = await rendered('nova-compute', { workloads });
    assert.deepEqual(Object.fromEntries(optionsOf(nodes, workloadOf(nodes, 'compute'))), {
      graceful_shutdown_timeout: 300,
      manager_shutdown_timeout: 280,
    });
    const cell = await rendered('nova-cell');
    assert.deepEqual(Object.fromEntries(optionsOf(cell, workloadOf(cell, 'conductor'))), {
      graceful_shutdown_timeout: 60,
      manager_shutdown_timeout: 40,
    });
  });
});
