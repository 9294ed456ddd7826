/**
 * kolla-operator on a real node, with Keystone's own tools and a real schema:
 *
 *   MariaDB and Keystone from one object -> the schema is aged -> upgrade: its upgrade check fails, then passes
 *     -> held before contract -> contracted, once
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { packageChart } from '../../build/charts.ts';
import type { OpenStack } from '../../src/operator/api/objects.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { helmBinary } from '../../tools/helm.ts';
import { startNode, type KubeNode } from '../cluster/kubernetes/index.ts';
import { BEFORE_PHASES } from '../e2e/upgrade.ts';
import { fileLimit } from '../support/file-limit.ts';
import { startHelper } from '../support/helper.ts';
import { until } from '../support/until.ts';
import { aioImages, makeVolume, NAMESPACE, whyNoCharts } from './stage.ts';

fileLimit(30);

const skip = (await whyNoCharts()) ?? false;

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PASSWORD = 'of-mariadb';
const PASSWORDS = {
  database_password: PASSWORD,
  mariadb_monitor_password: 'of-monitor',
  keystone_database_password: 'of-keystone',
  keystone_admin_password: 'of-admin',
};
/** The revision that only `contract` records. */
const CONTRACTED = 'e25ffa003242';

interface JobState {
  readonly metadata: { readonly name: string; readonly annotations: Readonly<Record<string, string>> };
  readonly spec: { readonly suspend?: boolean };
  readonly status: { readonly succeeded?: number; readonly startTime?: string };
}

/** Restarts it as the kubelet does: it ends when it loses its Lease, on a machine that is too busy to renew it. */
async function startOperator(args: readonly string[], logFile: string): Promise<AsyncDisposable> {
  const start = async () => await startHelper('kolla-operator', args, { logFile });
  const over = new AbortController();
  let running = await start();
  const follow = async () => {
    for (; !over.signal.aborted; running = await start()) await running.ended;
  };
  const followed = follow();
  return {
    async [Symbol.asyncDispose]() {
      over.abort();
      await running.stop();
      await followed;
      await running.stop();
    },
  };
}

describe('kolla-operator with real migrations', { skip }, () => {
  const stack = new AsyncDisposableStack();
  let node: KubeNode;
  const kubectl = (...args: string[]) => node.kubectl(['--namespace', NAMESPACE, ...args]);
  const exec = (pod: string, container: string, ...words: string[]) =>
    kubectl('exec', pod, `--container=${container}`, '--', ...words);
  const sql = (statements: string) =>
    exec(
      'mariadb-0',
      'mariadb',
      'mariadb',
      '--host=127.0.0.1',
      '--user=root',
      `--password=${PASSWORD}`,
      '--skip-column-names',
      `--execute=${statements}`,
    );
  const revisions = async () => (await sql('SELECT version_num FROM keystone.alembic_version')).trim().split('\n');
  const cloud = async () => JSON.parse(await kubectl('get', 'openstack/cloud', '--output=json')) as OpenStack;
  const patch = (spec: object) =>
    kubectl('patch', 'openstack/cloud', '--type=merge', `--patch=${JSON.stringify({ spec })}`);
  const condition = ({ status }: OpenStack, type: string) => status?.conditions?.find((one) => one.type === type);
  const seen = async (what: string, is: (one: OpenStack) => boolean) =>
    await until(`the cloud to be ${what}`, async (saw) => {
      const one = await cloud();
      saw(one.status);
      return one.status?.observedGeneration === one.metadata.generation && is(one) ? one : undefined;
    });
  const readyAt = (release: string) =>
    seen(`ready at ${release}`, (one) => condition(one, 'Ready')?.status === 'True' && one.status?.release === release);
  /** The Jobs of the new release; those of the installation are kept. */
  const jobs = async (part: string) => {
    const { items } = JSON.parse(await kubectl('get', 'jobs', '--output=json')) as { items: JobState[] };
    const isNew = ({ name, annotations }: JobState['metadata']) =>
      name.startsWith(`keystone-${part}-`) && annotations['kolla-pod/release'] === '2025.2';
    return items.filter(({ metadata }) => isNew(metadata));
  };
  const podsOf = async (job: string) =>
    (await kubectl('get', 'pods', `--selector=batch.kubernetes.io/job-name=${job}`, '--output=name')).trim();
  /** Phase, state and fencing token of each migration of a release. */
  const records = async (release: string) => {
    const text = await exec('deploy/keystone', 'keystone', 'kolla-db-sync', 'status', 'keystone', '--output=json');
    const { records: all } = JSON.parse(text) as {
      records: { release: string; phase: string; state: string; token: number }[];
    };
    return Object.fromEntries(
      all.filter((one) => one.release === release).map(({ phase, state, token }) => [phase, `${state} ${token}`]),
    );
  };

  before(async () => {
    const { path: directory } = stack.use(await privateDirectory('aio-operator'));
    node = stack.use(await startNode({ stored: await aioImages(), dns: true }));
    await node.kubectl(['create', 'namespace', NAMESPACE]);
    await node.kubectl(['label', 'namespace', NAMESPACE, 'pod-security.kubernetes.io/enforce=restricted']);
    await makeVolume(node, directory, { namespace: NAMESPACE, name: 'mariadb' });
    const charts = join(directory, 'charts');
    for (const chart of ['mariadb', 'keystone']) packageChart(chart, charts);
    const crds = `--filename=${join(ROOT, 'k8s/crds')}`;
    await node.kubectl(['apply', '--server-side', crds]);
    await node.kubectl(['wait', '--for=condition=Established', crds, '--timeout=-1s']);
    const own = ['--charts', charts, '--helm', await helmBinary(), '--directory', directory];
    const where = ['--namespace', NAMESPACE, '--kubeconfig', node.kubeconfig];
    stack.use(await startOperator([...own, ...where], join(directory, 'operator.log')));
    const globals = load(await readFile(join(ROOT, 'k8s/examples/aio/globals.yml'), 'utf8')) as { global: object };
    const values = { global: { ...globals.global, logs: {}, passwords: PASSWORDS }, upgrade: { stepwise: true } };
    // The images of one release have the tags of both.
    const services = { mariadb: { values: { image: { tag: 'zed' } } }, keystone: {} };
    const spec = { release: '2025.1', values, services };
    const object = { apiVersion: 'kolla-pod.io/v1alpha1', kind: 'OpenStack', metadata: { name: 'cloud' }, spec };
    await node.kubectl(['--namespace', NAMESPACE, 'apply', '--filename=-'], JSON.stringify(object));
    await readyAt('2025.1');
    await sql(`DELETE FROM keystone.alembic_version; INSERT INTO keystone.alembic_version VALUES ('${BEFORE_PHASES}')`);
  });
  after(async () => await stack.disposeAsync());

  test('what keystone-status of the new release finds in the database stops an upgrade', async () => {
    const immutable = (value: boolean) =>
      sql(`UPDATE keystone.role_option SET option_value = '${value}' WHERE option_id = 'IMMU'`);
    await immutable(false);
    await patch({ release: '2025.2', upgrade: { pauseBefore: 'contract' } });
    const stopped = await seen('stopped', (one) => condition(one, 'Preflight')?.status === 'False');
    const { reason, message = '' } = condition(stopped, 'Preflight') ?? {};
    assert.equal(reason, 'UpgradeCheckFailed');
    assert.match(
      message,
      /^keystone: keystone-status upgrade check: Check default roles are immutable: Failure: Roles are not immutable: .*admin.* \(job\/keystone-upgrade-\w+-check, deleted after 10 min\)$/,
    );
    assert.deepEqual(await revisions(), [BEFORE_PHASES]);
    await immutable(true);
    const [failed] = await jobs('upgrade');
    await kubectl('delete', 'job', failed!.metadata.name);
  });

  test('an upgrade that is held before contract leaves its Job suspended, and the schema as it was before', async () => {
    const paused = await seen('paused', (one) => one.status?.phase === 'Paused');
    assert.equal(condition(paused, 'Preflight')?.status, 'True');
    assert.equal(
      condition(paused, 'Ready')?.message,
      'spec.upgrade.pauseBefore is contract: remove it to contract keystone',
    );
    assert.deepEqual(await jobs('upgrade'), []);
    const [held, ...others] = await jobs('db-contract');
    assert.deepEqual(others, []);
    assert.deepEqual([held?.spec.suspend, held?.status.startTime], [true, undefined]);
    assert.equal(await podsOf(held!.metadata.name), '');
    assert.ok(!(await revisions()).includes(CONTRACTED));
    const { expand, migrate, contract } = await records('2025.2');
    assert.deepEqual(
      [expand, migrate].map((record) => record?.split(' ')[0]),
      ['done', 'done'],
    );
    assert.equal(contract, undefined);
  });

  test('without the pause contract runs, once, and nothing before it runs again', async () => {
    const earlier = await records('2025.2');
    await patch({ upgrade: { pauseBefore: null } });
    await readyAt('2025.2');
    const [done, ...further] = (await jobs('db-contract')).filter(({ spec }) => spec.suspend !== true);
    assert.deepEqual(further, []);
    assert.equal(done?.status.succeeded, 1);
    assert.equal((await podsOf(done.metadata.name)).split('\n').length, 1);
    assert.ok((await revisions()).includes(CONTRACTED));
    const { contract, ...others } = await records('2025.2');
    assert.match(contract ?? '', /^done /);
    assert.deepEqual(others, earlier);
  });
});
