/** Why a wait lasts: what the objects behind a Service or a Job tell, and what a wait says without permission to read them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { canRunControlPlane, endPodsOf } from '../cluster/kubernetes/index.ts';
import { sharedControlPlane, type SharedControlPlane } from '../servers/index.ts';
import { namespaceName } from '../support/names.ts';
import { until } from '../support/until.ts';
import { apps, core, podSpec, replicated, slice } from './objects.ts';
import { startInit } from './waiting.ts';

const NAMESPACE = namespaceName('reasons');
const FULL = namespaceName('reasons-full');

describe('why a wait lasts', { skip: (await canRunControlPlane()) ?? false, concurrency: 4 }, () => {
  let cluster: SharedControlPlane;
  let admin: string[];
  before(async () => {
    cluster = await sharedControlPlane();
    for (const namespace of [NAMESPACE, FULL]) await cluster.createNamespace(namespace);
    await cluster.kubectl([`--namespace=${FULL}`, 'create', 'quota', 'none', '--hard=pods=0']);
    // It denies nothing before the quota's controller has seen it.
    const pod = ['run', 'denied', '--image=none.test/c:1', '--dry-run=server', `--namespace=${FULL}`];
    await until('the quota to deny', () =>
      cluster.kubectl(pod).then(
        () => undefined,
        (error: Error) => error.message.includes('exceeded quota') || undefined,
      ),
    );
    admin = ['--kubeconfig', await credentials('admin', 'cluster-admin')];
    // Without permission to read a Service, Pods and Events.
    const rules = (resource: string) => ['create', 'clusterrole', `${NAMESPACE}-${resource}`, '--verb=get,list,watch'];
    await cluster.kubectl([...rules('least'), '--resource=jobs.batch,endpointslices.discovery.k8s.io']);
  });
  after(async () => await cluster?.[Symbol.asyncDispose]());

  const kubectl = (...args: string[]) => cluster.kubectl([`--namespace=${NAMESPACE}`, ...args]);
  const create = (...items: object[]) =>
    cluster.kubectl(
      [`--namespace=${NAMESPACE}`, 'create', '--filename=-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
    );
  async function credentials(name: string, role: string): Promise<string> {
    await kubectl('create', 'serviceaccount', name);
    const subject = `--serviceaccount=${NAMESPACE}:${name}`;
    await kubectl('create', 'clusterrolebinding', `${NAMESPACE}-${name}`, `--clusterrole=${role}`, subject);
    return await cluster.kubeconfigOf(NAMESPACE, name);
  }
  const job = (name: string, more: object = {}, pod: object = {}) => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: { template: { spec: { ...podSpec('Never'), ...pod } }, ...more },
  });
  /** Writes a status of the Job's Pod, as a kubelet does. */
  const podOf = async (name: string, status: object) => {
    const pod = await until(`the Pod of Job ${name}`, async () => {
      const selector = `--selector=batch.kubernetes.io/job-name=${name}`;
      return (await kubectl('get', 'pods', selector, '--output=name')).trim() || undefined;
    });
    await kubectl('patch', pod, '--subresource=status', '--type=merge', '--patch', JSON.stringify({ status }));
  };
  /** Waits until the state gives this reason. */
  const reason = async (wait: string, wanted: RegExp, args = admin) => {
    await using waiting = await startInit([...args, '--wait', wait]);
    await waiting.state(wait, wanted);
  };
  const service = (name: string, spec: object) => ({ ...core('Service', name), spec });
  const here = (name: string) => `service/${name}@${NAMESPACE}`;

  test('a Service of type ExternalName: the wait to use instead', async () => {
    await create(service('outside', { type: 'ExternalName', externalName: 'db.example.com' }));
    await reason(
      here('outside'),
      /; an ExternalName Service \(db\.example\.com\) has no endpoints: wait for tcp:\/\/db\.example\.com:PORT instead$/,
    );
    const least = ['--kubeconfig', await credentials('least', `${NAMESPACE}-least`)];
    await reason(
      here('outside'),
      /no EndpointSlice .*; an ExternalName Service has none: wait for tcp:\/\/HOST:PORT/,
      least,
    );
  });

  test('a missing Service, one without a selector, one whose selector matches nothing', async () => {
    await reason(here('none'), /; nor such a Service$/);
    await create(service('by-hand', { clusterIP: 'None', ports: [{ port: 80 }] }), slice('gone', false));
    await reason(here('by-hand'), /; the Service has no selector: its EndpointSlices are made by hand/);
    await reason(here('gone'), /^0 of 1 ready; no such Service: its endpoints are left over$/);
    await create(service('typo', { selector: { app: 'keystnoe' }, ports: [{ port: 80 }] }));
    await reason(here('typo'), /; no Pod has the labels of the Service's selector, app=keystnoe$/);
  });

  test("a Service whose Pods don't start: the container and why", async () => {
    await create(service('pull', { selector: { app: 'pull' }, ports: [{ port: 80 }] }));
    await create({ ...core('Pod', 'pull-0', { app: 'pull' }), spec: podSpec() });
    const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image "none.test/c:1"' };
    const status = {
      containerStatuses: [{ name: 'main', ready: false, restartCount: 0, image: 'x', imageID: '', state: { waiting } }],
    };
    await kubectl('patch', 'pod/pull-0', '--subresource=status', '--type=merge', '--patch', JSON.stringify({ status }));
    await reason(here('pull'), /; pod\/pull-0, container main: ImagePullBackOff: Back-off pulling image/);
  });

  test('a Job whose native sidecar fails its startup probe: the container, its restarts and last exit', async () => {
    const probe = { exec: { command: ['false'] } };
    const sidecar = { name: 'log-ship', image: 'none.test/c:1', restartPolicy: 'Always', startupProbe: probe };
    await create(job('sync', {}, { initContainers: [sidecar] }));
    const status = {
      name: 'log-ship',
      image: 'x',
      imageID: '',
      ready: false,
      started: false,
      restartCount: 2,
      state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
      lastState: { terminated: { exitCode: 137, reason: 'Error' } },
    };
    await podOf('sync', { phase: 'Pending', initContainerStatuses: [status] });
    await reason(
      `job/sync@${NAMESPACE}`,
      /^1 active; pod\/sync-\w+, sidecar log-ship: its startup probe fails, 2 restarts, last exited with code 137$/,
    );
  });

  test('a Job whose Pod no node fits, and one whose Pod a quota denies', async () => {
    await create(job('big'));
    const unschedulable = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' };
    await podOf('big', { phase: 'Pending', conditions: [unschedulable] });
    await reason(`job/big@${NAMESPACE}`, /^1 active; pod\/big-\w+: Unschedulable: 0\/3 nodes$/);
    await cluster.kubectl([`--namespace=${FULL}`, 'create', '--filename=-'], JSON.stringify(job('denied')));
    await reason(`job/denied@${FULL}`, /^0 active; no Pod: .*exceeded quota: none/);
  });

  test("a Deployment whose Pods don't start, and one whose Pods a quota denies", async () => {
    await create({ ...apps('Deployment', 'api'), spec: replicated('api') });
    const pod = await until('the Pod of the Deployment', async () => {
      return (await kubectl('get', 'pods', '--selector=app=api', '--output=name')).trim() || undefined;
    });
    const status = {
      name: 'main',
      image: 'x',
      imageID: '',
      ready: false,
      restartCount: 4,
      state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off' } },
      lastState: { terminated: { exitCode: 1, reason: 'Error' } },
    };
    const body = JSON.stringify({ status: { phase: 'Running', containerStatuses: [status] } });
    await kubectl('patch', pod, '--subresource=status', '--type=merge', '--patch', body);
    await reason(
      `deployment/api@${NAMESPACE}`,
      /^0 of 1 available; pod\/api-[\w-]+, container main: CrashLoopBackOff, 4 restarts, last exited with code 1$/,
    );
    const denied = { ...apps('Deployment', 'denied'), spec: replicated('denied') };
    await cluster.kubectl([`--namespace=${FULL}`, 'create', '--filename=-'], JSON.stringify(denied));
    await reason(`deployment/denied@${FULL}`, /^0 of 1 \w+; no further Pod: .*exceeded quota/);
  });

  test('a Job that its TTL removed before the wait, and a wait that may not read Events', async () => {
    await create(job('short', { ttlSecondsAfterFinished: 0 }));
    await endPodsOf(cluster, NAMESPACE, 'short', 'Succeeded');
    await until('the Job to be removed', async () =>
      (await kubectl('get', 'job/short', '--ignore-not-found', '--output=name')).trim() === '' ? true : undefined,
    );
    const wait = `job/short@${NAMESPACE}`;
    await reason(
      wait,
      /^no such Job .* yet; one completed and was removed since, as by its ttlSecondsAfterFinished: wait for job\/short\?db-sync=MIGRATION/,
    );
    const least = ['--kubeconfig', await credentials('least-jobs', `${NAMESPACE}-least`)];
    await reason(
      wait,
      /; if its ttlSecondsAfterFinished has removed it, nothing shows .* job\/short\?db-sync=MIGRATION/,
      least,
    );
  });

  test('credentials that are no longer valid: the next command is about them', async () => {
    const kubeconfig = await credentials('expired', 'cluster-admin');
    await kubectl('delete', 'serviceaccount/expired');
    const wait = `job/any@${NAMESPACE}`;
    // More than a busy machine takes to see it.
    await using waiting = await startInit(['--kubeconfig', kubeconfig, '--wait', wait, '--timeout', '1m']);
    await waiting.state(wait, /^API server: .*Unauthorized/);
    assert.equal(await waiting.ended, 75);
    assert.match(
      waiting.messages().at(-1) ?? '',
      /Unauthorized: .*; next: kubectl auth whoami, with the same credentials: they are expired or revoked\)/,
    );
  });
});
