import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ApiError } from '../../src/kube/api-error.ts';
import type { KubeClient, KubeObject } from '../../src/kube/types.ts';
import { Beat } from '../../src/operator/runtime/beat.ts';
import type { Cache } from '../../src/operator/runtime/cache.ts';
import { conditionOf } from '../../src/operator/api/conditions.ts';
import type { OpenStack, OpenStackService, ServiceStatus } from '../../src/operator/api/objects.ts';
import { Publisher } from '../../src/operator/runtime/publish.ts';
import { ServiceReconciler } from '../../src/operator/service/reconcile.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { until } from '../support/until.ts';
import { recordedLog } from '../support/recorded-log.ts';

const NAMESPACE = 'openstack';
/** Stands still: a busy machine must not outlast a pause before a retry. */
const NOW = new Date();
const SERVICE: OpenStackService = {
  metadata: { name: 'keystone', namespace: NAMESPACE, uid: 'uid', generation: 1 },
  spec: { release: '2026.1', timeout: '1h' },
};
const SERVICE_PATH = '/apis/kolla-pod.io/v1alpha1/namespaces/openstack/openstackservices/keystone';
const SECRETS = '/api/v1/namespaces/openstack/secrets';

/** Helm's Secret of a revision. */
function revision(
  number: number,
  status: string,
  { info = {}, config = {}, labels = {}, manifest = '' }: Revision = {},
): KubeObject {
  const record = {
    info: { status, description: '', last_deployed: NOW.toISOString(), ...info },
    chart: { metadata: { name: 'keystone', version: '1.0.0', dependencies: [{ name: 'kolla-pod' }] } },
    config,
    manifest,
  };
  const release = Buffer.from(gzipSync(JSON.stringify(record)).toString('base64')).toString('base64');
  const metadata = { name: `sh.helm.release.v1.keystone.v${number}`, labels: { status, ...labels } };
  return { metadata, data: { release } } as KubeObject;
}

interface Revision {
  readonly info?: object;
  readonly config?: object;
  readonly labels?: Readonly<Record<string, string>>;
  readonly manifest?: string;
}

/** A reconciler of SERVICE between what the API server answers and a script in place of Helm. */
async function reconciler(
  helm: string,
  answers: Readonly<Record<string, () => unknown>>,
  cached: readonly KubeObject[],
  now: () => Date = () => NOW,
) {
  const directory = await privateDirectory('reconcile');
  const at = (name: string) => join(directory.path, name);
  await mkdir(at('charts/keystone'), { recursive: true });
  await writeFile(at('charts/keystone/Chart.yaml'), 'name: keystone\nversion: 1.0.0\n');
  await writeFile(at('helm'), `#!/bin/sh\necho run >>"$HOME/runs"\n${helm}\n`);
  await chmod(at('helm'), 0o700);
  const said: string[] = [];
  const statuses: ServiceStatus[] = [];
  const written: string[] = [];
  const hooks: { onStatus?: (status: ServiceStatus) => void; onRequest?: (method: string) => void } = {};
  const client = {
    namespace: NAMESPACE,
    get: async (path: string, { signal }: { signal: AbortSignal }) => {
      signal.throwIfAborted();
      if (path.endsWith('/openstackworkloads')) return { items: [] };
      const answer = answers[path.split('?')[0] ?? '']?.();
      if (answer === undefined) throw new ApiError(404, `no ${path}`);
      return await abortable(answer, signal);
    },
    apply: (_: string, body: { status?: ServiceStatus }) => {
      if (body.status !== undefined) statuses.push(body.status);
      if (body.status !== undefined) hooks.onStatus?.(body.status);
      return Promise.resolve(body);
    },
    request: async (method: string, path: string, body: unknown) => {
      hooks.onRequest?.(method);
      written.push(`${method} ${path}`);
      said.push(JSON.stringify(body));
      return await Promise.resolve({});
    },
  } as unknown as KubeClient;
  const { log } = recordedLog('debug', (text) => void said.push(text));
  const services = new Map([['keystone', SERVICE]]);
  const openstacks = new Map<string, OpenStack>();
  const none = cacheOf(new Map<string, never>());
  const beat = new Beat(600_000);
  const limits = { ownMs: 30_000, memoryBytes: 2 ** 28 };
  const made = new ServiceReconciler({
    client,
    namespace: NAMESPACE,
    charts: at('charts'),
    helm: { file: at('helm'), kubeconfig: undefined, directory: directory.path, inherited: process.env, limits },
    beat,
    process: 'me',
    publisher: new Publisher(client, 'me', log),
    services: cacheOf(services),
    openstacks: cacheOf(openstacks),
    secrets: cacheOf(new Map(cached.map((object) => [object.metadata.name, object]))),
    workloads: { Deployment: none, StatefulSet: none, DaemonSet: none, Job: none },
    leases: none,
    scales: none,
    log,
    now,
  });
  const runs = async () => (await readFile(at('runs'), 'utf8').catch(() => '')).split('\n').length - 1;
  return {
    made,
    beat,
    services,
    openstacks,
    statuses,
    written,
    said,
    hooks,
    runs,
    helm: at('helm'),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

function cacheOf<T extends KubeObject>(objects: ReadonlyMap<string, T>): Cache<T> {
  return { get: (name) => objects.get(name), values: () => objects.values() };
}

async function abortable(answer: unknown, signal: AbortSignal): Promise<unknown> {
  const aborted = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => aborted.reject(signal.reason as Error), { once: true });
  return await Promise.race([answer, aborted.promise]);
}

const secretAt = (number: number) => `${SECRETS}/sh.helm.release.v1.keystone.v${number}`;
const { signal } = new AbortController();

test("a secret in Helm's record of a failure reaches no condition, Event or log", async () => {
  const failed = revision(1, 'failed', {
    info: { description: 'Upgrade "keystone" failed: Deployment is invalid: Invalid value: "s3cret-word"' },
    config: { password: 's3cret-word', global: { tag: '2026.1' } },
  });
  const service = {
    ...SERVICE,
    spec: { ...SERVICE.spec, valuesFrom: [{ kind: 'Secret', name: 'passwords' }] },
  } as const;
  const data = { 'values.yaml': Buffer.from('password: s3cret-word\n').toString('base64') };
  const answers = {
    [SERVICE_PATH]: () => service,
    [secretAt(1)]: () => failed,
    [`${SECRETS}/passwords`]: () => ({ metadata: { name: 'passwords' }, data }),
  };
  await using one = await reconciler('exit 1', answers, [failed]);
  one.services.set('keystone', service);
  const { requeueAfterMs = 0 } = await one.made.reconcile('keystone', signal);
  assert.ok(requeueAfterMs > 0);
  assert.match(JSON.stringify(one.statuses), /Deployment is invalid: Invalid value/);
  assert.doesNotMatch(JSON.stringify([one.statuses, one.said]), /s3cret-word/);
});

test('a Helm that crashes each time is not started again at once', async (t) => {
  t.mock.method(performance, 'now', () => 0);
  const deployed = revision(1, 'deployed');
  const pending = revision(2, 'pending-upgrade', { labels: { 'kolla-pod.io/process': 'me-2' } });
  const interrupted = revision(2, 'failed', { info: { description: 'interrupted while pending-upgrade' } });
  let newest: KubeObject | undefined;
  const answers = { [SERVICE_PATH]: () => SERVICE, [secretAt(1)]: () => deployed, [secretAt(2)]: () => newest };
  await using one = await reconciler('exit 2', answers, [deployed]);
  one.hooks.onStatus = ({ phase }) => void (phase === 'Upgrading' && (newest = pending));
  for (let turn = 0; turn < 6; turn++) {
    await one.made.reconcile('keystone', signal);
    if (one.written.some((write) => write.startsWith('PUT'))) newest = interrupted;
  }
  assert.equal(await one.runs(), 1);
});

test('a first installation that was ended by SIGTERM is forgotten, so that the next one is no upgrade', async () => {
  const canceled = { info: { description: 'Release "keystone" failed: context canceled' } };
  let newest: KubeObject | undefined = revision(1, 'failed', canceled);
  const answers = { [SERVICE_PATH]: () => SERVICE, [secretAt(1)]: () => newest };
  await using one = await reconciler('exit 0', answers, [newest]);
  await one.made.reconcile('keystone', signal);
  assert.deepEqual([await one.runs(), one.written[0]], [0, `DELETE ${secretAt(1)}`]);
  newest = undefined;
  await one.made.reconcile('keystone', signal);
  assert.deepEqual([await one.runs(), one.statuses.at(-1)?.phase], [1, 'Installing']);
});

test('fields that could not be taken over are in the status, and are taken over by the next turn', async () => {
  const manifest = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: keystone}\n';
  const deployed = revision(1, 'deployed', { config: { global: { tag: '2026.1' } }, manifest });
  const fieldsV1 = { 'f:spec': { 'f:paused': {} } };
  const managedFields = [
    { manager: 'helm', operation: 'Apply', fieldsV1 },
    { manager: 'kubectl', operation: 'Update', fieldsV1 },
  ];
  const deployment = '/apis/apps/v1/namespaces/openstack/deployments/keystone';
  const answers = {
    [SERVICE_PATH]: () => SERVICE,
    [secretAt(1)]: () => deployed,
    [deployment]: () => ({ metadata: { name: 'keystone', managedFields } }),
  };
  await using one = await reconciler('exit 1', answers, [deployed]);
  const conflict = { type: 'Conflict', status: 'True', reason: 'OtherManager', message: '', lastTransitionTime: '' };
  one.services.set('keystone', { ...SERVICE, status: { conditions: [conflict] } } as OpenStackService);
  one.hooks.onRequest = (method) => {
    if (method === 'PATCH') throw new ApiError(403, 'denied by a webhook');
  };
  await assert.rejects(one.made.reconcile('keystone', signal), /denied by a webhook/);
  const conditions = () => one.statuses.at(-1)?.conditions;
  assert.partialDeepStrictEqual(conditionOf(conditions(), 'Degraded'), {
    status: 'True',
    reason: 'TakeOverFailed',
    message: 'denied by a webhook',
  });
  assert.equal(conditionOf(conditions(), 'Conflict')?.status, 'True');
  delete one.hooks.onRequest;
  await one.made.reconcile('keystone', signal);
  assert.ok(one.written.includes(`PATCH ${deployment}`));
  assert.equal(conditionOf(conditions(), 'Degraded')?.status, 'False');
  assert.equal(conditionOf(conditions(), 'Conflict')?.status, 'False');
});

test('a Helm that does not start is a failure, which is shown and tried again', async () => {
  const deployed = revision(1, 'deployed');
  const answers = { [SERVICE_PATH]: () => SERVICE, [secretAt(1)]: () => deployed };
  await using one = await reconciler('exit 0', answers, [deployed]);
  one.hooks.onStatus = ({ phase }) => void (phase === 'Upgrading' && rmSync(one.helm));
  await one.made.reconcile('keystone', signal);
  assert.match(conditionOf(one.statuses.at(-1)?.conditions, 'Degraded')?.message ?? '', /helm/);
  const { requeueAfterMs = 0 } = await one.made.reconcile('keystone', signal);
  assert.ok(requeueAfterMs > 0);
});

test("Helm's error is not lost where the API server does not answer afterwards", async (t) => {
  t.mock.method(performance, 'now', () => 0);
  const deployed = revision(1, 'deployed');
  let isDown = false;
  const answers = {
    [SERVICE_PATH]: () => SERVICE,
    [secretAt(1)]: () => {
      if (isDown) throw new Error('no connection');
      return deployed;
    },
  };
  await using one = await reconciler('echo "Error: the chart is broken" >&2; exit 1', answers, [deployed]);
  one.hooks.onStatus = ({ phase }) => void (isDown = phase === 'Upgrading');
  await assert.rejects(one.made.reconcile('keystone', signal), /no connection/);
  isDown = false;
  const { requeueAfterMs = 0 } = await one.made.reconcile('keystone', signal);
  assert.deepEqual([await one.runs(), requeueAfterMs > 0], [1, true]);
  assert.match(conditionOf(one.statuses.at(-1)?.conditions, 'Degraded')?.message ?? '', /the chart is broken/);
});

test('an adopted release goes back without hooks, too', async () => {
  const deployed = revision(1, 'deployed', { config: { global: { tag: '2026.1' } } });
  const at = (release: string) => {
    const status = one.statuses.at(-1);
    return { ...SERVICE, spec: { ...SERVICE.spec, release }, ...(status === undefined ? {} : { status }) };
  };
  let service: OpenStackService;
  const answers = { [SERVICE_PATH]: () => service, [secretAt(1)]: () => deployed };
  await using one = await reconciler('exit 0', answers, [deployed]);
  one.services.set('keystone', (service = at('2026.1')));
  await one.made.reconcile('keystone', signal);
  assert.equal(one.statuses.at(-1)?.release, '2026.1');
  one.services.set('keystone', (service = at('2025.2')));
  await one.made.reconcile('keystone', signal);
  assert.deepEqual([await one.runs(), one.statuses.at(-1)?.phase], [1, 'RollingBack']);
});

test('a service of a suspended OpenStack is only observed', async () => {
  const deployed = revision(1, 'deployed');
  const metadata = { name: 'cloud', namespace: NAMESPACE, uid: 'cloud-uid', generation: 1 };
  const owner = { apiVersion: '', kind: 'OpenStack', name: 'cloud', uid: 'cloud-uid', controller: true };
  const owned = { ...SERVICE, metadata: { ...SERVICE.metadata, ownerReferences: [owner] } };
  const answers = { [SERVICE_PATH]: () => owned, [secretAt(1)]: () => deployed };
  await using one = await reconciler('exit 0', answers, [deployed]);
  one.services.set('keystone', owned);
  for (const suspend of [true, false]) {
    one.openstacks.set('cloud', { metadata, spec: { release: '2026.1', services: { keystone: {} }, suspend } });
    await one.made.reconcile('keystone', signal);
    const found = [await one.runs(), one.statuses.at(-1)?.phase];
    assert.deepEqual(found, suspend ? [0, 'Suspended'] : [1, 'Upgrading']);
  }
});

test('the release of a service whose OpenStack was deleted is not touched until the garbage collector deletes the service', async () => {
  const deployed = revision(1, 'deployed');
  const metadata = { name: 'cloud', namespace: NAMESPACE, uid: 'cloud-uid', generation: 1 };
  const owner = { apiVersion: '', kind: 'OpenStack', name: 'cloud', uid: 'cloud-uid', controller: true };
  const owned = { ...SERVICE, metadata: { ...SERVICE.metadata, ownerReferences: [owner] } };
  const answers = { [SERVICE_PATH]: () => owned, [secretAt(1)]: () => deployed };
  await using one = await reconciler('exit 0', answers, [deployed]);
  one.services.set('keystone', owned);
  await one.made.reconcile('keystone', signal);
  one.openstacks.set('cloud', { metadata: { ...metadata, uid: 'next' }, spec: { release: '2026.1', services: {} } });
  await one.made.reconcile('keystone', signal);
  assert.deepEqual([await one.runs(), one.statuses.at(-1)?.phase], [0, 'Suspended']);
});

test('a change that arrives between the decision and Helm ends the step, too', async () => {
  const deployed = revision(1, 'deployed');
  const answers = { [SERVICE_PATH]: () => SERVICE, [secretAt(1)]: () => deployed };
  await using one = await reconciler('exit 0', answers, [deployed]);
  one.hooks.onStatus = () => {
    const changed = { ...SERVICE, metadata: { ...SERVICE.metadata, generation: 2 } };
    one.services.set('keystone', changed);
    one.made.changed(changed);
  };
  assert.deepEqual(await one.made.reconcile('keystone', signal), { requeueAfterMs: 0 });
  assert.equal(await one.runs(), 0);
});

test('an object that was deleted and re-created ends the step of the former one', async () => {
  const deployed = revision(1, 'deployed');
  const answers = { [SERVICE_PATH]: () => SERVICE, [secretAt(1)]: () => deployed };
  await using one = await reconciler('exec sleep 20', answers, [deployed]);
  const turn = one.made.reconcile('keystone', signal);
  await until('Helm', async () => ((await one.runs()) > 0 ? true : undefined));
  one.services.delete('keystone');
  one.made.changed(SERVICE);
  const recreated = { ...SERVICE, metadata: { ...SERVICE.metadata, uid: 'another' } };
  one.services.set('keystone', recreated);
  one.made.changed(recreated);
  assert.deepEqual(await turn, { requeueAfterMs: 0 });
  assert.ok(one.said.some((text) => text.includes('cancelled: the object has changed')));
});

test('nothing is read or written for a step after the Lease is lost', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const deployed = revision(1, 'deployed');
  const looking = Promise.withResolvers<void>();
  const answers = {
    [SERVICE_PATH]: () => SERVICE,
    [secretAt(1)]: () => deployed,
    '/api/v1/namespaces/openstack/pods': () => {
      looking.resolve();
      return new Promise(() => {});
    },
  };
  await using one = await reconciler('exec sleep 20', answers, [deployed]);
  const lost = new AbortController();
  const turn = one.made.reconcile('keystone', lost.signal);
  await until('Helm', async () => ((await one.runs()) > 0 ? true : undefined));
  t.mock.timers.tick(30_000);
  await looking.promise;
  lost.abort(new Error('the Lease is lost'));
  await assert.rejects(turn, /the Lease is lost/);
});

test('a cache that is older than the server causes no loop without a pause', async () => {
  const deployed = revision(1, 'deployed');
  await using one = await reconciler('exit 1', { [secretAt(1)]: () => deployed }, [deployed]);
  const { requeueAfterMs } = await one.made.reconcile('keystone', signal);
  assert.ok(requeueAfterMs !== undefined && requeueAfterMs >= 1000);
});

test('a timeout longer than a timer is a timeout', async () => {
  const deployed = revision(1, 'deployed', { config: { global: { tag: '2026.1' } } });
  await using one = await reconciler('exit 1', { [secretAt(1)]: () => deployed }, [deployed]);
  one.services.set('keystone', { ...SERVICE, spec: { ...SERVICE.spec, timeout: '8760h' } });
  await one.made.reconcile('keystone', signal);
  assert.equal(one.statuses.at(-1)?.phase, 'Ready');
});

test("a Pod of Helm's Jobs that starts after all is no failure any more", async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const deployed = revision(1, 'deployed');
  const job = 'keystone-expand-r2';
  const waiting = { name: 'main', state: { waiting: { reason: 'ErrImagePull', message: 'no' } } };
  let containerStatuses: object[] = [waiting];
  const pod = () => ({
    metadata: { name: job, labels: { 'batch.kubernetes.io/job-name': job } },
    status: { containerStatuses },
  });
  const answers = {
    [SERVICE_PATH]: () => SERVICE,
    [secretAt(1)]: () => deployed,
    '/api/v1/namespaces/openstack/pods': () => ({ items: [pod()] }),
  };
  await using one = await reconciler('exec sleep 20', answers, [deployed]);
  const stop = new AbortController();
  const turn = one.made.reconcile('keystone', stop.signal);
  await until('Helm', async () => ((await one.runs()) > 0 ? true : undefined));
  const degraded = async (status: string) => {
    t.mock.timers.tick(30_000);
    await until(`Degraded ${status}`, (saw) => {
      const { conditions } = one.statuses.at(-1) ?? {};
      saw(conditions);
      return conditionOf(conditions, 'Degraded')?.status === status ? true : undefined;
    });
  };
  await degraded('True');
  containerStatuses = [];
  await degraded('False');
  assert.equal(one.statuses.at(-1)?.phase, 'Upgrading');
  stop.abort(new Error('end'));
  await assert.rejects(turn, /end/);
});

test('a turn is not late while its Helm has time, and is late afterwards', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const deployed = revision(1, 'deployed');
  const answers = { [SERVICE_PATH]: () => SERVICE, [secretAt(1)]: () => deployed };
  await using one = await reconciler('exec sleep 20', answers, [deployed]);
  const stop = new AbortController();
  const turn = one.made.reconcile('keystone', stop.signal);
  await until('Helm', async () => ((await one.runs()) > 0 ? true : undefined));
  now = 65 * 60_000;
  assert.equal(one.beat.late(), undefined);
  now = 75 * 60_000;
  assert.equal(one.beat.late(), 'OpenStackService keystone has not moved for 1h10m');
  stop.abort(new Error('end'));
  await assert.rejects(turn, /end/);
  assert.equal(one.beat.late(), undefined);
});

test('a failed service is tried again although the clock is set back', async (t) => {
  let passed = 0;
  t.mock.method(performance, 'now', () => passed);
  const failed = revision(1, 'failed', { config: { global: { tag: '2026.1' } } });
  const answers = { [SERVICE_PATH]: () => SERVICE, [secretAt(1)]: () => failed };
  let now = NOW;
  await using one = await reconciler('exit 1', answers, [failed], () => now);
  const { requeueAfterMs = 0 } = await one.made.reconcile('keystone', signal);
  assert.ok(requeueAfterMs > 0 && requeueAfterMs <= 5000);
  now = new Date(NOW.getTime() - 3_600_000);
  passed = requeueAfterMs;
  await one.made.reconcile('keystone', signal);
  assert.equal(await one.runs(), 1);
});

test('each Job before an upgrade has the whole timeout', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const deployed = revision(1, 'deployed');
  let jobs: readonly string[] = [];
  let looks = 0;
  const answers = {
    [SERVICE_PATH]: () => SERVICE,
    [secretAt(1)]: () => deployed,
    '/api/v1/namespaces/openstack/pods': () => {
      looks++;
      return {
        items: jobs.map((name) => ({ metadata: { name, labels: { 'batch.kubernetes.io/job-name': name } } })),
      };
    },
  };
  await using one = await reconciler('exec sleep 20', answers, [deployed]);
  const stop = new AbortController();
  const turn = one.made.reconcile('keystone', stop.signal);
  await until('Helm', async () => ((await one.runs()) > 0 ? true : undefined));
  const lateAt = async (minutes: number, ...seen: readonly string[]) => {
    now = (minutes - 1) * 60_000;
    jobs = seen;
    const before = looks;
    t.mock.timers.tick(30_000);
    await until('a look', () => (looks > before ? true : undefined));
    await new Promise((resolve) => setImmediate(resolve));
    now = minutes * 60_000;
    return one.beat.late() !== undefined;
  };
  const [expand, migrate] = ['keystone-expand-r2', 'keystone-migrate-r2'];
  assert.equal(await lateAt(50, expand), false);
  assert.equal(await lateAt(100, expand, migrate), false);
  assert.equal(await lateAt(150, expand, migrate), false);
  assert.equal(await lateAt(180, expand, migrate), true);
  stop.abort(new Error('end'));
  await assert.rejects(turn, /end/);
});
