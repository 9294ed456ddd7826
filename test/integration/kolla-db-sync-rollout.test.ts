/**
 * Detection of replicas of an older release on a real API server with the real controllers, and kolla-db-sync's
 * reaction on a real MariaDB. Pods do not run here: a finalizer stands for a container that is slow to exit.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DeadlineError, NotPermittedError } from '../../src/core/errors.ts';
import { parseWorkload } from '../../src/kube/rollout-kinds.ts';
import { rolloutGrants } from '../../src/migrate/rollout/grants.ts';
import { awaitRollouts, lookAtRollouts } from '../../src/migrate/rollout/wait.ts';
import { connectKube, type KubeClient } from '../../src/kube/index.ts';
import { rolesFor } from '../../src/kube/rbac.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { namespaceName, type SharedControlPlane } from '../servers/index.ts';
import { logLines, runHelper } from '../support/helper.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { until } from '../support/until.ts';
import { leaseSite, startWorld, untilAllowed, type World } from './kolla-db-sync-lease-support.ts';
import { gateFile, migration, runsIn } from './kolla-db-sync-support.ts';
import { apps, core, replicated } from './objects.ts';

const NAMESPACE = namespaceName('openstack');
const NODE = namespaceName('compute');
const [OLD, NEW] = ['2025.2', '2026.1'];
const HOLD = 'kolla-pod.test/hold';

const skip = (await canRunControlPlane()) ?? (await canRunMariadb()) ?? false;

describe('waiting for a rollout, against a real API server', { skip }, () => {
  let world: World;
  let cluster: SharedControlPlane;
  let admin: KubeClient;
  const kubectl = (...args: string[]) => cluster.kubectl([`--namespace=${NAMESPACE}`, ...args]);
  const create = (object: object) =>
    cluster.kubectl([`--namespace=${NAMESPACE}`, 'create', '--filename=-'], JSON.stringify(object));
  const patch = (what: string, value: object, ...args: string[]) =>
    kubectl('patch', what, '--type=merge', `--patch=${JSON.stringify(value)}`, ...args);
  before(async () => {
    world = await startWorld();
    ({ cluster } = world);
    await cluster.createNamespace(NAMESPACE);
    await cluster.kubectl(['create', '--filename=-'], JSON.stringify(core('Node', NODE, { own: NODE })));
    admin = await connectKube({ kind: 'kubeconfig', files: [cluster.kubeconfig] });
    admin = { ...admin, namespace: NAMESPACE };
    await until('the namespace to have its ServiceAccount', async () => {
      return (await kubectl('get', 'serviceaccounts', '--output=name')).includes('default') || undefined;
    });
  });
  after(async () => {
    admin?.[Symbol.dispose]();
    await world?.[Symbol.asyncDispose]();
  });

  /** Waits in the background and records the output. */
  function waiting(texts: readonly string[], { kube = admin, timeoutMs = 60_000 } = {}) {
    const { log, said } = recordedLog('info');
    const stop = new AbortController();
    const rollouts = {
      workloads: texts.map((text) => parseWorkload(text, '--after-rollout')),
      release: NEW,
      timeoutMs,
    };
    let isOver = false;
    const ended = awaitRollouts(rollouts, { kube, signal: stop.signal, log }).finally(() => (isOver = true));
    ended.catch(() => {}); // read by the test
    const lines = () => logLines(said());
    return {
      ended,
      stop: () => stop.abort(new Error('stopped')),
      warnings: () => lines().filter(({ level }) => level === 'warn'),
      says: async (pattern: RegExp) => {
        const heard = (saw: (value: unknown) => void) => {
          const found = lines().find(({ msg }) => pattern.test(msg))?.msg;
          assert.ok(found !== undefined || !isOver, `it exited without logging ${String(pattern)}: ${said()}`);
          saw(said().slice(-1000));
          return found;
        };
        return await until(`it to say ${String(pattern)}`, heard);
      },
    };
  }
  const look = async (text: string) =>
    await lookAtRollouts(
      { workloads: [parseWorkload(text, '--after-rollout')], release: NEW, timeoutMs: 0 },
      { kube: admin, signal: new AbortController().signal, log: recordedLog().log },
    );

  /** A Deployment whose Pods have `release`. Only the finalizer keeps them. */
  function spec(app: string, release: string, nodeSelector: object = {}) {
    const { template, ...rest } = replicated(app);
    const labels = { ...template.metadata.labels, 'app.kubernetes.io/version': release };
    // A minute after its creation, the node without a kubelet is tainted.
    const pod = { ...template.spec, nodeSelector, tolerations: [{ operator: 'Exists' }] };
    return { ...rest, template: { metadata: { labels, finalizers: [HOLD] }, spec: pod } };
  }
  const roll = (what: string, release: string) =>
    patch(what, { spec: { template: { metadata: { labels: { 'app.kubernetes.io/version': release } } } } });
  const podsOf = async (app: string, release: string) => {
    const selector = `--selector=app=${app},app.kubernetes.io/version=${release}`;
    const found = await kubectl('get', 'pods', selector, '--output=name');
    return found.split('\n').filter(Boolean);
  };
  const podOf = async (app: string, release: string) =>
    await until(`a Pod of ${app}`, async () => (await podsOf(app, release))[0]);
  const run = async (pod: string) => {
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    await patch(pod, { status }, '--subresource=status');
  };
  const letGo = (pod: string) => patch(pod, { metadata: { finalizers: null } });
  const bind = async (pod: string) => {
    const name = pod.replace('pod/', '');
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target: { kind: 'Node', name: NODE } };
    const path = `/api/v1/namespaces/${NAMESPACE}/pods/${name}/binding`;
    await cluster.kubectl(['create', `--raw=${path}`, '--filename=-'], JSON.stringify(binding));
  };

  test('waits for a Deployment before and during its rollout, and until the old Pod is gone; notices a rollback', async () => {
    await create({ ...apps('Deployment', 'keystone'), spec: spec('keystone', OLD) });
    const old = await podOf('keystone', OLD);
    await run(old);
    await kubectl('wait', '--for=condition=Available', 'deployment/keystone', '--timeout=-1s');
    const wait = waiting(['deployment/keystone']);
    const name = old.replace('pod/', '');
    await wait.says(new RegExp(`are of release 2025\\.2, not 2026\\.1; still there: ${name} `));
    await roll('deployment/keystone', NEW);
    await wait.says(/0 of 1 updated|0 of 1 available|1 old to go/);
    await run(await podOf('keystone', NEW));
    await kubectl('rollout', 'status', 'deployment/keystone');
    await wait.says(new RegExp(`: 1 of 1 available; still there: ${name} \\(.*terminating, until 20`));
    await letGo(old);
    await wait.ended;
    assert.deepEqual(wait.warnings(), []);
    assert.equal(await look('deployment/keystone'), undefined);
    await roll('deployment/keystone', OLD);
    assert.match(
      (await look('deployment/keystone')) ?? '',
      /are of release 2025\.2, not 2026\.1; still there: keystone-/,
    );
  });

  test('waits for a missing workload; one scaled to 0 is complete when its Pods are gone', async () => {
    const wait = waiting(['deployment/later', `deploy/later@${NAMESPACE}`]);
    await wait.says(new RegExp(`rollout of deployment/later: no such Deployment in namespace ${NAMESPACE} yet`));
    await create({ ...apps('Deployment', 'later'), spec: spec('later', OLD) });
    const pod = await podOf('later', OLD);
    await kubectl('scale', 'deployment/later', '--replicas=0');
    await wait.says(/no Pod is wanted; still there: later-.*terminating/);
    await letGo(pod);
    await wait.ended;
  });

  test('waits for a StatefulSet even below its partition, where its rollout counts as complete', async () => {
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 1 } };
    await create({ ...apps('StatefulSet', 'db'), spec: { ...spec('db', OLD), serviceName: 'db', updateStrategy } });
    const old = await podOf('db', OLD);
    await run(old);
    await roll('statefulset/db', NEW);
    const wait = waiting(['statefulset/db']);
    await wait.says(/1 of 1 available \(partition 1: Pods below it are not updated\); still there: db-0/);
    await patch('statefulset/db', { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
    await wait.says(/still there: db-0 \(.*terminating/);
    await letGo(old);
    await run(await podOf('db', NEW));
    await wait.ended;
  });

  test('waits for a DaemonSet by its latest revision', async () => {
    await create({
      ...apps('DaemonSet', 'agent'),
      spec: { ...spec('agent', OLD, { own: NODE }), replicas: undefined, updateStrategy: { type: 'OnDelete' } },
    });
    const old = await podOf('agent', OLD);
    await bind(old);
    await run(old);
    await roll('daemonset/agent', NEW);
    const wait = waiting(['daemonset/agent']);
    await wait.says(/0 of 1 updated; still there: agent-/);
    // No kubelet reports that the Pod has exited.
    await kubectl('delete', old, '--force', '--grace-period=0', '--wait=false');
    await wait.says(/still there: agent-.*terminating/);
    await letGo(old);
    const pod = await podOf('agent', NEW);
    await bind(pod);
    await run(pod);
    await wait.ended;
  });

  test('the deadline error names unfinished rollouts', async () => {
    // Long enough for the first look on a busy machine.
    const wait = waiting(['deployment/nobody', 'ds/nothing@kube-system'], { timeoutMs: 20_000 });
    await assert.rejects(wait.ended, (error) => {
      assert.ok(error instanceof DeadlineError);
      assert.match(error.message, /^not rolled out in 20s: deployment\/nobody \(no such Dep/);
      assert.match(error.message, /ds\/nothing@kube-system \(no such DaemonSet in namespace kube-system yet\)$/);
      return true;
    });
  });

  test('a stopped wait ends immediately, with the reason of the stop', async () => {
    const wait = waiting(['deployment/nobody']);
    await wait.says(/no such Deployment/);
    wait.stop();
    await assert.rejects(wait.ended, /^Error: stopped$/);
  });

  test('the required Role is sufficient, and equals the one in a denial', async () => {
    const texts = ['deployment/absent', 'statefulset/absent', 'daemonset/absent'];
    await create(core('ServiceAccount', 'contract'));
    const kubeconfig = await cluster.kubeconfigOf(NAMESPACE, 'contract');
    using kube = await connectKube({ kind: 'kubeconfig', files: [kubeconfig] });
    const refused = waiting(texts, { kube });
    let printed = '';
    await assert.rejects(refused.ended, (error) => {
      assert.ok(error instanceof NotPermittedError);
      assert.match(
        error.message,
        new RegExp(`^system:serviceaccount:${NAMESPACE}:contract may not watch the workloads of --after-rollout \\(`),
      );
      printed = error.message.slice(error.message.indexOf('\n') + 1);
      return true;
    });
    await cluster.kubectl(['apply', '--filename=-'], printed);
    const account = { kind: 'ServiceAccount', name: 'contract', namespace: NAMESPACE };
    for (const resource of ['deployments', 'statefulsets', 'daemonsets'])
      await untilAllowed(world.kube, account, { verb: 'watch', group: 'apps', resource, name: 'absent' });
    const allowed = waiting(texts, { kube });
    for (const text of texts) await allowed.says(new RegExp(`rollout of ${text}: no such`));
    assert.deepEqual(allowed.warnings(), []);
    const items = rolesFor(
      rolloutGrants(
        texts.map((text) => parseWorkload(text, '--after-rollout')),
        NAMESPACE,
      ),
      { kind: 'ServiceAccount', name: 'contract', namespace: NAMESPACE },
      { role: 'kolla-db-sync-rollout', clusterRole: 'none' },
    );
    assert.equal(items.length, 2);
    // Once the workloads exist, the wait also reads their Pods, which the Role must allow.
    await create({ ...apps('Deployment', 'absent'), spec: { ...spec('absent', NEW), replicas: 0 } });
    await create({ ...apps('StatefulSet', 'absent'), spec: { ...spec('absent', NEW), serviceName: 'x', replicas: 0 } });
    const nowhere = spec('absent', NEW, { none: 'such' });
    await create({ ...apps('DaemonSet', 'absent'), spec: { ...nowhere, replicas: undefined } });
    await allowed.ended;
    assert.deepEqual(allowed.warnings(), []);
  });

  /** A Deployment of the new release, rolled out next to a migration whose account has the printed Role. */
  async function rolledOutSite(stack: AsyncDisposableStack) {
    const site = await leaseSite(world, stack, false);
    const { namespace } = site;
    const words = ['rbac', 'keystone', '--after-rollout', 'deployment/api', '-n', namespace];
    const { stdout } = await runHelper('kolla-db-sync', [...words, '--service-account', 'migrator']);
    await cluster.kubectl(['apply', '--filename=-'], stdout);
    const deployment = { ...apps('Deployment', 'api'), spec: spec('api', NEW) };
    await cluster.kubectl([`--namespace=${namespace}`, 'create', '--filename=-'], JSON.stringify(deployment));
    const pod = await until('a Pod of api', async () => {
      return (await site.kubectl('get', 'pods', '--output=name')).trim() || undefined;
    });
    const status = JSON.stringify({ status: { conditions: [{ type: 'Ready', status: 'True' }] } });
    await site.kubectl('patch', pod, '--subresource=status', '--type=merge', `--patch=${status}`);
    await site.kubectl('rollout', 'status', 'deployment/api');
    const contract = ['--phase', 'contract', '--release', NEW, '--after-rollout', 'deployment/api'];
    return { ...site, contract, pod: pod.replace('pod/', '') };
  }

  test('with its Role kolla-db-sync runs contract when no old replica is left, and logs when it is not checked', async () => {
    await using stack = new AsyncDisposableStack();
    const site = await rolledOutSite(stack);
    const { contract } = site;
    const ran = await site.sync([...contract, ...migration(0)]);
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(ran.stderr, /rolled out deployment\/api: 1 of 1 available, no old Pod is left/);
    assert.deepEqual(
      logLines(ran.stderr).filter(({ level }) => level === 'warn'),
      [],
    );
    assert.equal(runsIn(await site.journal()).length, 1);
    const unasked = await site.sync(['--phase', 'online', ...migration(0)]);
    assert.equal(unasked.code, 0, unasked.stderr);
    assert.match(
      unasked.stderr,
      /"warn".*no --after-rollout: not checked whether old replicas are left that online would break/,
    );
  });

  test('a rollback during the wait for the lock is detected: nothing runs, and the record has the reason', async () => {
    await using stack = new AsyncDisposableStack();
    await using gate = await gateFile();
    const site = await rolledOutSite(stack);
    const { env, contract, pod } = site;
    await using holder = await site.begin(migration(gate.path));
    await holder.saying(/"msg":"running /);
    await using waiter = await site.begin([...contract, ...migration(0)]);
    await waiter.saying(/no replica of an older release is left/);
    await waiter.saying(/"msg":"waiting:? /);
    const template = { metadata: { labels: { 'app.kubernetes.io/version': OLD } } };
    await site.kubectl('patch', 'deployment/api', '--type=merge', `--patch=${JSON.stringify({ spec: { template } })}`);
    await gate.open();
    assert.equal(await holder.code, 0, holder.said());
    assert.equal(await waiter.code, 69, waiter.said());
    const why = `exist again: deployment/api \\(its Pods are of release 2025\\.2, not 2026\\.1; still there: .*${pod}`;
    assert.match(waiter.said(), new RegExp(`"error".*${why}.*; nothing was run`));
    assert.equal(runsIn(await site.journal()).length, 1, 'only the first one ran');
    const { stdout } = await runHelper('kolla-db-sync', ['status', 'keystone'], { env });
    assert.match(stdout, /keystone +2026\.1 +contract +failed +69 /);
  });
});
