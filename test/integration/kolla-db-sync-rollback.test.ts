/**
 * After `helm rollback` the Jobs of the older release are on the API server, Complete, while kolla-db-sync has contracted the
 * schema for the newer one.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { canRunControlPlane, endPodsOf } from '../cluster/kubernetes/index.ts';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { logLines, runHelper } from '../support/helper.ts';
import { until } from '../support/until.ts';
import { batch, podSpec } from './objects.ts';
import { leaseSite, said, startWorld, type LeaseSite, type World } from './kolla-db-sync-lease-support.ts';
import { migration } from './kolla-db-sync-support.ts';
import { sidecarSite } from './kolla-sidecar-support.ts';
import { startInit } from './waiting.ts';

const skip = (await canRunControlPlane()) ?? (await canRunMariadb()) ?? false;
const REASON = /contract of 2026\.1 has begun, and 2025\.2 does not run on its schema; set the release to 2026\.1/;

describe('kolla-db-sync has contracted the schema for a newer release', { skip }, () => {
  let world: World;
  let site: LeaseSite;
  let admin: string[];
  const sites = new AsyncDisposableStack();
  before(async () => {
    world = await startWorld();
    site = await leaseSite(world, sites);
    admin = ['--kubeconfig', await inNamespace(site.namespace)];
    const annotations = { 'kolla-pod/release': '2025.2' };
    for (const name of ['keystone-bootstrap-0ld', 'keystone-db-sync']) {
      const job = { ...batch(name), metadata: { name, annotations }, spec: { template: { spec: podSpec('Never') } } };
      const create = [`--namespace=${site.namespace}`, 'create', '--filename=-'];
      await world.cluster.kubectl(create, JSON.stringify(job));
      await endPodsOf(world.cluster, site.namespace, name, 'Succeeded');
      await site.kubectl('wait', '--for=condition=Complete', `job/${name}`, '--timeout=-1s');
    }
    for (const [release, phase] of [
      ['2025.2', 'migrate'],
      ['2026.1', 'migrate'],
      ['2026.1', 'contract'],
      // A later Job of the same release replaces the state on the Lease.
      ['2026.1', 'expand'],
    ] as const)
      assert.equal((await site.sync(['--release', release, '--phase', phase, ...migration(0)])).code, 0);
  });
  after(async () => {
    await sites.disposeAsync();
    await world?.[Symbol.asyncDispose]();
  });

  /** The administrator's connection, in the namespace of the Pod. */
  async function inNamespace(namespace: string): Promise<string> {
    const { cluster } = world;
    const path = join(cluster.directory, `${namespace}.admin`);
    await writeFile(path, await cluster.kubectl(['config', 'view', '--raw', '--flatten']), { mode: 0o600 });
    await cluster.kubectl(['--kubeconfig', path, 'config', 'set-context', '--current', `--namespace=${namespace}`]);
    return path;
  }

  test('the Lease keeps it when a later phase replaces the state', async () => {
    const { phase, contracted } = said(await site.lease());
    assert.deepEqual({ phase, contracted }, { phase: 'expand', contracted: '2026.1' });
  });

  for (const wait of [
    'job/keystone-bootstrap-0ld?db-sync=keystone&release=2025.2',
    'job/keystone-db-sync',
    'job?label=batch.kubernetes.io/job-name!=x&db-sync=keystone&release=2025.2',
    'job/removed-by-its-ttl?db-sync=keystone&release=2025.2',
    'db-sync/keystone?release=2025.2',
  ])
    test(`refuses ${wait}`, async () => {
      await using waiting = await startInit([...admin, '--wait', wait]);
      assert.equal(await waiting.ended, 69);
      assert.match(waiting.messages().at(-1) ?? '', REASON);
    });

  for (const wait of [
    'job/removed?db-sync=keystone&release=2026.1',
    'db-sync/keystone?release=2026.1',
    'db-sync/keystone',
  ])
    test(`${wait} is ready`, async () => {
      await using waiting = await startInit([...admin, '--wait', wait]);
      assert.equal(await waiting.ended, 0);
    });

  test('a wait for a missing Job of a release to come names what the Lease says', async () => {
    const wait = 'job/missing?db-sync=keystone&release=2026.2';
    await using waiting = await startInit([...admin, '--wait', wait]);
    const lease =
      'Lease kolla-db-sync-keystone: ready for release 2026\\.1, not 2026\\.2; done \\(expand\\) of release 2026\\.1';
    await waiting.state(wait, new RegExp(`^no such Job in namespace .* yet; ${lease}$`));
  });

  test("kubernetes-entrypoint's Jobs are refused by their own release", async () => {
    const env = {
      KUBERNETES_ENTRYPOINT_KUBECONFIG: admin[1],
      POD_NAME: 'x',
      NAMESPACE: site.namespace,
      DEPENDENCY_JOBS: 'keystone-db-sync',
    };
    const { code, stderr } = await runHelper('kubernetes-entrypoint', [], { env: { ...env, COMMAND: 'true' } });
    assert.equal(code, 69);
    assert.match(stderr, REASON);
  });

  test('kolla-sidecar with component waits does not become ready', async () => {
    await using pod = await sidecarSite('rollback');
    await pod.write({
      sidecar: { component: ['waits'] },
      init: { wait: ['job/keystone-bootstrap-0ld?db-sync=keystone&release=2025.2'] },
    });
    const sidecar = await pod.start([], { KUBECONFIG: admin[1] });
    await using _ = sidecar.running;
    await until('the reason', () => Promise.resolve(REASON.test(sidecar.log()) || undefined));
    assert.equal((await sidecar.get('/startupz')).status, 503);
  });

  test('kolla-probe db-sync is unhealthy, by the Lease and by the database', async () => {
    await using directory = await privateDirectory('rollback');
    const file = join(directory.path, 'password');
    await writeFile(file, site.password);
    const { host, port } = world.mariadb;
    const login = ['--server', `${host}:${port}`, '--user', site.database, '--password-file', file];
    for (const more of [
      ['--kubeconfig', admin[1] ?? ''],
      [...login, '--database', site.database],
    ]) {
      const probed = async (release: string) => {
        const { code, stderr } = await runHelper('kolla-probe', ['db-sync', 'keystone', '--release', release, ...more]);
        return { code, msg: logLines(stderr)[0]?.msg ?? '' };
      };
      const old = await probed('2025.2');
      assert.equal(old.code, 1);
      assert.match(old.msg, REASON);
      assert.deepEqual(await probed('2026.1'), { code: 0, msg: '' });
    }
  });

  // The last test, because it changes the schema.
  test('after the database was restored, a migration to the older release allows its Pods to start', async () => {
    await world.mariadb.query(`DELETE FROM ${site.database}.kolla_pod_record WHERE \`release\` = '2026.1'`);
    assert.equal((await site.sync(['--release', '2025.2', '--phase', 'migrate', ...migration(0)])).code, 0);
    assert.equal(said(await site.lease())['contracted'], undefined);
    await using waiting = await startInit([...admin, '--wait', 'db-sync/keystone?release=2025.2']);
    assert.equal(await waiting.ended, 0);
  });
});
