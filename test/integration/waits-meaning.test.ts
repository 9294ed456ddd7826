import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { canRunControlPlane, endPodsOf, startControlPlane, type ControlPlane } from '../cluster/kubernetes/index.ts';
import { openWatches } from '../cluster/kubernetes/metrics.ts';
import { privateDirectory } from '../../tools/directory.ts';
import type { Capability } from '../../tools/capability.ts';
import { HELPERS } from '../support/helper.ts';
import { run } from '../../tools/process.ts';
import { until } from '../support/until.ts';
import { apps, daemon, definition, migrationLease, podSpec, slice } from './objects.ts';
import { NAMESPACE, prepare } from './waits-objects.ts';
import { startInit } from './waiting.ts';

/** Whether a file can be bind-mounted in a private mount namespace. */
const canBindFiles: Capability = async () => {
  const { code, stderr } = await run('unshare', ['--mount', 'mount', '--bind', '/etc/hosts', '/etc/hosts']);
  return code === 0 ? undefined : `files can't be mounted here: ${stderr.trim()}`;
};

const withoutMounts = (await canBindFiles()) ?? false;

describe('dependencies on a real API server', { skip: (await canRunControlPlane()) ?? false }, () => {
  let cluster: ControlPlane;
  let admin: string[];
  before(async () => {
    cluster = await startControlPlane();
    await cluster.kubectl(['create', 'namespace', NAMESPACE]);
    await prepare(cluster);
    admin = ['--kubeconfig', await credentials('admin', '--clusterrole=cluster-admin')];
  });
  after(async () => await cluster[Symbol.asyncDispose]());
  const kubectl = (...args: string[]) => cluster.kubectl([`--namespace=${NAMESPACE}`, ...args]);
  const create = (...items: object[]) =>
    cluster.kubectl(
      [`--namespace=${NAMESPACE}`, 'create', '--filename=-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
    );

  /** A kubeconfig for a new ServiceAccount with this role in the namespace of the tests. */
  async function credentials(name: string, role?: string): Promise<string> {
    await kubectl('create', 'serviceaccount', name);
    if (role !== undefined)
      await kubectl('create', 'clusterrolebinding', name, role, `--serviceaccount=${NAMESPACE}:${name}`);
    return await cluster.kubeconfigOf(NAMESPACE, name);
  }

  const job = (name: string, more: object = {}, metadata: object = {}) => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, ...metadata },
    spec: { template: { spec: podSpec('Never') }, ...more },
  });
  const complete = async (name: string) => {
    await endPodsOf(cluster, NAMESPACE, name, 'Succeeded');
    await kubectl('wait', '--for=condition=Complete', `job/${name}`, '--timeout=-1s');
  };

  // Most of the time these tests wait.
  describe('a single dependency', { concurrency: 3 }, () => {
    test("an old release's Job does not count, the new one does", async () => {
      const release = (version: string) => ({ labels: { 'app.kubernetes.io/version': version } });
      await create(job('upgrade', {}, release('2025.2')));
      await complete('upgrade');
      await using waiting = await startInit([...admin, '--wait', 'job/upgrade?release=2026.1']);
      await waiting.said(/: of release 2025\.2, not 2026\.1$/);
      await kubectl('delete', 'job/upgrade');
      await create(job('upgrade', {}, release('2026.1')));
      await complete('upgrade');
      assert.equal(await waiting.ended, 0);
    });

    test("a Job deleted before the wait is replaced by its migration's record", async () => {
      await create(migrationLease('nova', 'done'));
      await using met = await startInit([...admin, '--wait', 'job/nova-db-sync?release=2026.1']);
      assert.equal(await met.ended, 0);
      assert.match(met.messages().at(-2) ?? '', /Lease kolla-db-sync-nova reports ready for release 2026\.1$/);
      await using other = await startInit([...admin, '--wait', 'job/nova-db-sync?release=2026.2', '--timeout', '2s']);
      assert.equal(await other.ended, 75);
    });

    test('a Job removed by its TTL during the wait counts as Complete', async () => {
      await create(job('short', { ttlSecondsAfterFinished: 0 }));
      await using waiting = await startInit([...admin, '--wait', 'job/short']);
      await waiting.said(/1 active/);
      await endPodsOf(cluster, NAMESPACE, 'short', 'Succeeded');
      assert.equal(await waiting.ended, 0);
    });

    test('all Jobs with the labels must be Complete, and a suspended one does not count', async () => {
      const labels = { labels: { app: 'set' } };
      await create(job('set-a', {}, labels), job('set-b', {}, labels), job('set-off', { suspend: true }, labels));
      await using waiting = await startInit([...admin, '--wait', 'job?label=app=set']);
      await waiting.said(/: 0 of 2; set-a: 1 active$/);
      await endPodsOf(cluster, NAMESPACE, 'set-a', 'Succeeded');
      await waiting.said(/: 1 of 2; set-b: 1 active$/);
      await endPodsOf(cluster, NAMESPACE, 'set-b', 'Succeeded');
      assert.equal(await waiting.ended, 0);
    });

    test('a negated wait ends when the last Pod is gone; a terminating one still exists', async () => {
      const metadata = { labels: { app: 'old' }, finalizers: ['example.org/hold'] };
      await create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'old', ...metadata }, spec: podSpec() });
      await using waiting = await startInit([...admin, '--wait', '!pod?label=app=old']);
      await waiting.said(/: old: is there$/);
      await kubectl('delete', 'pod/old', '--force', '--grace-period=0', '--wait=false');
      await waiting.said(/: old: being deleted$/);
      await kubectl('patch', 'pod/old', '--type=merge', '--patch={"metadata":{"finalizers":null}}');
      assert.equal(await waiting.ended, 0);
    });

    test('a DaemonSet without a Pod on this node is ready on request', async () => {
      await create({ ...apps('DaemonSet', 'elsewhere'), spec: daemon('elsewhere', { own: 'never' }) });
      const wait = [...admin, '--node-name', 'compute-1', '--wait', 'daemonset/elsewhere'];
      await using strict = await startInit([...wait, '--timeout', '2s']);
      assert.equal(await strict.ended, 75);
      await using lenient = await startInit([...wait, '--daemonset-absent', 'ready']);
      assert.equal(await lenient.ended, 0);
    });

    test('an unknown resource is a typo, unless it has a group: then it may still be defined', async () => {
      await using slip = await startInit([...admin, '--wait', 'gizmo/x']);
      assert.equal(await slip.ended, 64);
      assert.match(slip.messages().at(-1) ?? '', /has no resource 'gizmo'; kubectl api-resources/);
      await using waiting = await startInit([...admin, '--wait', 'gizmos.example.net/x']);
      await waiting.said(/has no resource gizmos\.example\.net yet/);
      await create(definition('gizmo', 'Gizmo', 'example.net'));
      await waiting.said(/no such Gizmo in namespace/);
      await create({ apiVersion: 'example.net/v1', kind: 'Gizmo', metadata: { name: 'x' } });
      assert.equal(await waiting.ended, 0);
    });

    test('a denied Event is logged at debug level only', async () => {
      const kubeconfig = await credentials('viewer', '--clusterrole=view');
      const args = ['--kubeconfig', kubeconfig, '--wait', 'job/never', '--timeout', '1s', '--pod-name', 'me'];
      await using waiting = await startInit([...args, '--log-level', 'debug']);
      assert.equal(await waiting.ended, 75);
      await using quiet = await startInit(args);
      assert.equal(await quiet.ended, 75);
      const of = (messages: string[]) =>
        messages.filter((message) => message.startsWith('cannot create an Event on Pod me: '));
      assert.deepEqual([of(waiting.messages()).length, of(quiet.messages()).length], [1, 0]);
    });

    test('SIGTERM ends watches, polls and sockets of every kind with 143', async () => {
      const kinds = [
        'job/a',
        'service/b',
        'pod?label=c',
        'daemonset/d',
        'gizmos.example.com/e',
        'secret/f',
        '!node/compute-1',
      ];
      const others = ['tcp://127.0.0.1:1', 'http://127.0.0.1:1/', 'file:/no/such', 'socket:/no/such'];
      const waits = [...kinds, ...others];
      const args = waits.flatMap((wait) => ['--wait', wait]);
      await using waiting = await startInit([...admin, ...args, '--node-name', 'compute-1']);
      for (const wait of waits) await waiting.state(wait, /./);
      process.kill(waiting.running.pid, 'SIGTERM');
      assert.equal(await waiting.ended, 143);
      assert.equal(waiting.messages().at(-1), 'ended by SIGTERM');
    });

    test("waiting for one's own container is rejected", { skip: withoutMounts }, async () => {
      await using directory = await privateDirectory('own');
      // As the kubelet mounts it: a file in a directory that is named after Pod and container.
      const container = join(directory.path, 'pods/0b1c-2d/containers/main');
      await mkdir(container, { recursive: true });
      await writeFile(join(container, '5f3a9c1e'), '');
      await writeFile(join(directory.path, 'termination-log'), '');
      await create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'self' }, spec: podSpec() });
      const bind = `mount --bind '${container}/5f3a9c1e' '${directory.path}/termination-log'`;
      const words = [
        HELPERS,
        'kolla-init',
        '--config-dir',
        '/no/config',
        '--allow-no-config',
        ...admin,
        '--pod-name',
        'self',
        '--wait',
      ];
      const inside = `${bind} && exec '${process.execPath}' ${words.map((word) => `'${word}'`).join(' ')} container/main`;
      const { code, stderr } = await run('unshare', ['--mount', 'sh', '-c', inside]);
      assert.equal(code, 64, stderr);
      assert.match(stderr, /our own container, which is not ready before the wait ends/);
    });

    test('a Role with nine Jobs is enough to poll them, which is logged', async () => {
      const names = Array.from({ length: 9 }, (_, i) => `nine-${i}`);
      const kubeconfig = await credentials('nine');
      await kubectl(
        'create',
        'role',
        'nine',
        '--verb=get',
        '--resource=jobs.batch',
        ...names.map((name) => `--resource-name=${name}`),
      );
      await kubectl('create', 'rolebinding', 'nine', '--role=nine', `--serviceaccount=${NAMESPACE}:nine`);
      const waits = names.flatMap((name) => ['--wait', `job/${name}`]);
      await using waiting = await startInit(['--kubeconfig', kubeconfig, ...waits]);
      await create(...names.map((name) => job(name)));
      await Promise.all(names.map((name) => endPodsOf(cluster, NAMESPACE, name, 'Succeeded')));
      assert.equal(await waiting.ended, 0);
      assert.ok(waiting.messages().some((message) => message.includes('may not watch jobs.batch')));
    });
  });

  // Not concurrent: an Event must be written within two seconds, which is little on a busy machine.
  test('the deadline writes its message to the termination log and, if allowed, to an Event on our Pod', async () => {
    await using directory = await privateDirectory('deadline');
    const file = join(directory.path, 'termination-log');
    await writeFile(file, '');
    await create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'me' }, spec: podSpec() });
    const args = ['--wait', 'job/never', '--timeout', '5s', '--termination-log', file, '--pod-name', 'me'];
    await using waiting = await startInit([...admin, ...args]);
    assert.equal(await waiting.ended, 75);
    const said =
      /^not ready after 5s: job\/never \(no such Job .*; next: kubectl -n openstack-\d+ describe job\/never\)$/;
    assert.match(waiting.messages().at(-1) ?? '', said);
    assert.match(await readFile(file, 'utf8'), /^kolla-init: not ready after 5s: job\/never /);
    const events = await kubectl('events', '--for=pod/me', '--output=json');
    const [event] = (JSON.parse(events) as { items: { reason: string; message: string; type: string }[] }).items;
    assert.deepEqual([event?.reason, event?.type], ['DependenciesNotMet', 'Warning']);
    assert.match(event?.message ?? '', said);
    assert.match(await kubectl('describe', 'pod/me'), /DependenciesNotMet/);
  });

  test('writes an Event even if its message has more bytes than characters', async () => {
    await create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'us' }, spec: podSpec() });
    // The Job makes kolla-init connect early: at the deadline it has two seconds to write the Event.
    const waits = ['--wait', `file:/${'ü'.repeat(800)}`, '--wait', 'job/never'];
    const args = [...waits, '--timeout', '5s', '--pod-name', 'us'];
    await using waiting = await startInit([...admin, ...args]);
    assert.equal(await waiting.ended, 75);
    assert.match(await kubectl('describe', 'pod/us'), /DependenciesNotMet.*not ready after 5s: file:\/ü+\.\.\./);
  });

  test('500 concurrent dependencies share one watch per kind', async () => {
    const names = Array.from({ length: 480 }, (_, i) => `w-${i}`);
    const widgets = names.map((name) => ({
      apiVersion: 'example.org/v1',
      kind: 'Widget',
      metadata: { name },
      spec: { isOpen: true },
    }));
    const services = Array.from({ length: 20 }, (_, i) => `s-${i}`);
    const waits = [
      ...names.map((name) => `widgets.example.org/${name}?jsonpath={.spec.isOpen}=true`),
      ...services.map((name) => `service/${name}`),
    ];
    assert.equal(waits.length, 500);
    const watches = async () => ({
      widgets: await openWatches(cluster, { resource: 'widgets' }),
      slices: await openWatches(cluster, { resource: 'endpointslices' }),
    });
    const earlier = await watches();
    await using waiting = await startInit(admin, { KOLLA_INIT_WAIT: waits.join(',') });
    await until('all to be absent', () =>
      Promise.resolve(waits.every((wait) => waiting.statesOf(wait).length > 0) || undefined),
    );
    const now = await watches();
    // The cluster's own garbage collector may have started a watch on widgets.
    assert.ok(now.widgets - earlier.widgets <= 2, JSON.stringify({ earlier, now }));
    assert.equal(now.slices - earlier.slices, 1);
    await create(...widgets, ...services.map((name) => slice(name, true)));
    assert.equal(await waiting.ended, 0);
    assert.equal(waiting.messages().filter((message) => message.includes(': ready after ')).length, 500);
  });

  // The last test, because it stops the API server that the others use.
  test('survives an API server that is killed and restarted', async () => {
    await using waiting = await startInit([...admin, '--wait', 'job/through']);
    await waiting.said(/no such Job/);
    await cluster.apiServer.kill();
    await waiting.said(/API server: /);
    await cluster.apiServer.start();
    await create(job('through'));
    await endPodsOf(cluster, NAMESPACE, 'through', 'Succeeded');
    assert.equal(await waiting.ended, 0);
  });
});
