import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { load } from 'js-yaml';
import { chartNames } from '../../build/charts.ts';
import { readChecks } from '../../src/probe/serve/index.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { startHelper } from '../support/helper.ts';
import { freePort } from '../../tools/port.ts';
import { tailOf } from '../../tools/process.ts';
import { until } from '../support/until.ts';
import { rendering } from './support.ts';

const skip = (await canRunHelm()) ?? false;
/** Values that enable every component of a chart. */
const ALL_ROLES = { config: { reload: 'live' }, logs: { enabled: true, url: 'http://127.0.0.1:9' } };

/** Downward API values that overlays use. */
const OF_THE_POD = Object.fromEntries(
  ['POD_NAME', 'POD_NAMESPACE', 'POD_UID', 'POD_IP', 'HOST_IP', 'NODE_NAME'].map((name) => [name, 'x']),
);

interface PodYaml {
  readonly sidecar: { readonly component: readonly string[]; readonly 'allow-no-checks'?: boolean };
  readonly checks?: unknown;
}

describe('no chart with logs enabled has a sidecar that probes without checks', { skip }, () => {
  for (const name of chartNames())
    test(name, async () => {
      await using chart = await rendering(name);
      const rendered = await chart.render({ logs: ALL_ROLES.logs });
      const texts = rendered.of('ConfigMap').flatMap(({ data }): string[] => data?.['kolla-pod.yaml'] ?? []);
      assert.ok(texts.length > 0);
      for (const text of texts) {
        const { sidecar, checks } = load(text) as PodYaml;
        assert.ok(sidecar.component.includes('log-ship'));
        const count = readChecks('kolla-pod.yaml', checks).length;
        assert.equal(sidecar.component.includes('probe'), count > 0, text);
        assert.equal(sidecar['allow-no-checks'], undefined);
      }
    });
});

test("log-ship's state is in a volume without the service, unless the logs may outlive the Pod", { skip }, async () => {
  await using chart = await rendering('keystone');
  const of = async (more: object) => {
    const rendered = await chart.render({ logs: ALL_ROLES.logs, ...more });
    const { spec } = rendered.of('Deployment')[0]!['spec'].template;
    const holders = [...spec.initContainers, ...spec.containers].filter(({ volumeMounts = [] }) =>
      volumeMounts.some(({ name }: { name: string }) => name === 'log-ship-state'),
    );
    const yaml = rendered.of('ConfigMap').flatMap(({ data }): string[] => data?.['kolla-pod.yaml'] ?? [])[0] ?? '';
    const { env } = spec.initContainers.find(({ name }: { name: string }) => name === 'kolla-sidecar');
    return {
      states: [...yaml.matchAll(/state: (.*)/g)].map(([, path]) => path),
      source: env.find(({ name }: { name: string }) => name === 'KOLLA_LOG_SHIP_SOURCE_ID')?.valueFrom.fieldRef
        .fieldPath,
      holders: holders.map(({ name }: { name: string }) => name),
      volume: spec.volumes.find(({ name }: { name: string }) => name === 'log-ship-state'),
    };
  };
  assert.deepEqual(await of({}), {
    states: ['/var/lib/kolla-log-ship', '/var/lib/kolla-log-ship'],
    source: 'metadata.uid',
    holders: ['kolla-sidecar'],
    volume: { name: 'log-ship-state', emptyDir: {} },
  });
  const logs = { source: { persistentVolumeClaim: { claimName: 'logs' } }, mountPath: '/var/log/kolla' };
  const kept = await of({ workloads: { api: { volumes: { logs } } } });
  assert.deepEqual(kept, { states: [], source: undefined, holders: [], volume: undefined });
});

describe(
  "kolla-sidecar accepts the charts' configuration, and its startup probe has an existing path",
  { skip },
  () => {
    for (const name of chartNames())
      test(name, async () => {
        await using chart = await rendering(name);
        const rendered = await chart.render(ALL_ROLES);
        const maps = rendered.of('ConfigMap').filter(({ data }) => data?.['kolla-pod.yaml'] !== undefined);
        assert.ok(maps.length > 0);
        for (const { metadata, data } of maps) {
          const yaml = load(data['kolla-pod.yaml']) as PodYaml;
          assert.ok(
            ['config-watch', 'log-ship'].every((component) => yaml.sidecar.component.includes(component)),
            metadata.name,
          );
          await startsWith(yaml, metadata.name);
        }
      });
  },
);

/** Starts kolla-sidecar as the chart does, except for its port and the directories of its Pod. */
async function startsWith(yaml: PodYaml, name: string): Promise<void> {
  await using directory = await privateDirectory('sidecar');
  const at = (path: string) => join(directory.path, path);
  for (const path of ['config', 'root/etc', 'root/run', 'logs']) await mkdir(at(path), { recursive: true });
  await writeFile(at('config/config.json'), '{ "command": "true" }');
  await writeFile(at('labels'), 'a="b"\n');
  await writeFile(at('client.cnf'), '[client]\nuser = u\npassword = p\n');
  const text = JSON.stringify(yaml).replaceAll(/(?<=--defaults-file )[^" ]+/g, at('client.cnf'));
  await writeFile(at('kolla-pod.yaml'), text);
  // Programs of the images, which actions run and which the sidecar looks for when it starts.
  for (const [, program = ''] of text.matchAll(/"exec:([\w-]+)/g))
    await writeFile(at(program), '#!/bin/sh\n', { mode: 0o755 });
  const port = await freePort();
  const logFile = at('log');
  await using sidecar = await startHelper(
    'kolla-sidecar',
    ['--config', at('kolla-pod.yaml'), '--listen', `127.0.0.1:${port}`],
    {
      logFile,
      throwAway: true,
      env: {
        PATH: `${process.env['PATH']}:${directory.path}`,
        ...OF_THE_POD,
        KOLLA_INIT_CONFIG_DIR: at('config'),
        KOLLA_INIT_ROOT: at('root'),
        KOLLA_LOG_SHIP_ROOT: at('logs'),
        KOLLA_LOG_SHIP_STATE: at('state'),
        KOLLA_LOG_SHIP_LABELS_FILE: at('labels'),
      },
    },
  );
  await until(`${name} to answer`, async (saw) => {
    saw(tailOf(logFile));
    assert.equal(sidecar.child.exitCode, null, `${name} exited: ${tailOf(logFile)}`);
    return await answerOf(port);
  });
}

/** The response of /startupz/components; undefined before kolla-sidecar responds. */
async function answerOf(port: number): Promise<string | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/startupz/components`);
    await response.body?.cancel();
    return response.ok ? 'ok' : undefined;
  } catch {
    return undefined;
  }
}
