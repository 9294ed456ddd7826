import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { unlessAborted } from '../../src/core/abort.ts';
import { ApiError } from '../../src/kube/api-error.ts';
import type { KubeClient, KubeObject, SetObservation, SetRef } from '../../src/kube/types.ts';
import { Beat } from '../../src/operator/runtime/beat.ts';
import { control, type Settings } from '../../src/operator/control.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { until } from '../support/until.ts';

const NAMESPACE = 'openstack';

/** The sets that a watch sends, one after the other. */
class Sets {
  #next = Promise.withResolvers<{ readonly objects: readonly object[]; readonly handled: () => void }>();

  /** Resolves when the set was handled. */
  async send(...objects: readonly object[]): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#next.resolve({ objects, handled: resolve });
    await promise;
  }

  async *read(signal: AbortSignal): AsyncGenerator<SetObservation<KubeObject>> {
    for (;;) {
      const { objects, handled } = await unlessAborted(this.#next.promise, signal);
      this.#next = Promise.withResolvers();
      const byName = new Map((objects as KubeObject[]).map((object) => [object.metadata.name, object]));
      yield { kind: 'set', objects: byName };
      handled();
    }
  }
}

function metadata(name: string, version: number, more: object = {}) {
  return { name, namespace: NAMESPACE, uid: name, generation: 1, resourceVersion: String(version), ...more };
}

const cloud = (version: number, suspend: boolean) => ({ metadata: metadata('cloud', version), spec: { suspend } });

/** A service that is only observed, with values of the ConfigMap of its name. */
function service(name: string) {
  const owner = { apiVersion: '', kind: 'OpenStack', name: 'cloud', uid: 'cloud', controller: true };
  const spec = { chart: { name: 'chart' }, suspend: true, valuesFrom: [{ kind: 'ConfigMap', name }] };
  return { metadata: metadata(name, 1, { ownerReferences: [owner] }), spec };
}

function settingsIn(directory: string): Settings {
  return {
    namespace: NAMESPACE,
    kubeconfig: undefined,
    directory,
    charts: directory,
    helm: 'helm',
    helmDeadline: 30_000,
    helmMemoryBytes: 2 ** 28,
    listen: undefined,
    stallTimeout: 600_000,
    beat: new Beat(600_000),
    controllers: ['service'],
    maxConcurrentReconciles: 1,
    process: 'me',
    inherited: {},
  };
}

test('a change of the status of an OpenStack is no reason to look at its services, but a suspension is', async (t) => {
  await using directory = await privateDirectory('control');
  await mkdir(join(directory.path, 'chart'));
  await writeFile(join(directory.path, 'chart/Chart.yaml'), 'name: chart\nversion: 1.0.0\n');
  const sets = new Map<string, Sets>();
  const looks: string[] = [];
  const client = {
    namespace: NAMESPACE,
    watchSet: ({ resource }: SetRef, { signal }: { signal: AbortSignal }) => {
      const own = new Sets();
      sets.set(resource, own);
      return own.read(signal);
    },
    get: (path: string) => {
      const name = /\/configmaps\/(.+)$/.exec(path)?.[1];
      if (name === undefined) return Promise.reject(new ApiError(404, `no ${path}`));
      looks.push(name);
      return Promise.resolve({ data: { 'values.yaml': '' } });
    },
    apply: (_: string, body: object) => Promise.resolve(body),
  } as unknown as KubeClient;
  const stop = new AbortController();
  t.after(() => stop.abort());
  // One at a time, so that services are looked at in the order of their events.
  const settings = settingsIn(directory.path);
  const running = control(client, settings, stop.signal, recordedLog().log);
  const first: Readonly<Record<string, readonly object[]>> = {
    openstacks: [cloud(1, false)],
    openstackservices: [service('keystone')],
  };
  for (const [resource, own] of sets) await own.send(...(first[resource] ?? []));
  const looked = (count: number) => until(`look ${count}`, () => (looks.length < count ? undefined : true));
  await looked(1);
  await sets.get('openstacks')?.send(cloud(2, false));
  await sets.get('configmaps')?.send({ metadata: metadata('keystone', 1) });
  await looked(2);
  await sets.get('openstackservices')?.send(service('keystone'), service('glance'));
  await looked(3);
  assert.deepEqual(looks, ['keystone', 'keystone', 'glance']);
  await sets.get('openstacks')?.send(cloud(3, true));
  await looked(5);
  assert.deepEqual(looks.slice(3).toSorted(), ['glance', 'keystone']);
  // Resumed, deleted, and known only after its services, as when its own watch is behind.
  for (const [i, own] of [[cloud(4, false)], [], [cloud(5, false)]].entries()) {
    await sets.get('openstacks')?.send(...own);
    await looked(7 + 2 * i);
  }
  stop.abort();
  await running;
});

test('a watch that no longer moves ends the operator, although it does not end itself', async (t) => {
  await using directory = await privateDirectory('control');
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  async function* watchSet() {
    await new Promise(() => {});
    yield { kind: 'connected' };
  }
  const client = { namespace: NAMESPACE, watchSet } as unknown as KubeClient;
  const { signal } = new AbortController();
  const running = control(client, settingsIn(directory.path), signal, recordedLog().log);
  t.mock.timers.tick(1000);
  now = 600_001;
  t.mock.timers.tick(1000);
  t.mock.timers.tick(10_000);
  const message = 'watch of openstacks has not moved for 10m; exiting, so that another process can lead';
  await assert.rejects(running, { name: 'UnavailableError', message });
});
