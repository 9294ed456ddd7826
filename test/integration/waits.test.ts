import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { sharedControlPlane, type SharedControlPlane } from '../servers/index.ts';
import { NAMESPACE, objectCases, OWN_NODE, OWN_POD, prepare, type ObjectCase } from './waits-objects.ts';
import { Cells } from './waits-table.ts';
import { startInit } from './waiting.ts';

const COLUMNS = ['met', 'not yet', 'absent', '403', 'deleted in mid-wait'] as const;

describe('kolla-init waits for objects of a real API server', { skip: (await canRunControlPlane()) ?? false }, () => {
  let cluster: SharedControlPlane;
  let cases: ObjectCase[];
  const cells = new Cells(COLUMNS);
  before(async () => {
    cluster = await sharedControlPlane();
    await cluster.createNamespace(NAMESPACE);
    await prepare(cluster);
    cases = objectCases(cluster);
  });
  after(async () => {
    process.stdout.write(`\n${cells.table()}\n`);
    await cluster[Symbol.asyncDispose]();
  });
  const env = { POD_NAME: OWN_POD, NODE_NAME: OWN_NODE };
  /** In the namespace of the Pod, as in a cluster. */
  const inNamespace = async (kubeconfig: string) => {
    const args = ['--kubeconfig', kubeconfig, 'config', 'set-context', '--current', `--namespace=${NAMESPACE}`];
    await cluster.kubectl(args);
    return kubeconfig;
  };
  const accountWith = async (name: string, role?: string) => {
    await cluster.kubectl([`--namespace=${NAMESPACE}`, 'create', 'serviceaccount', name]);
    const subject = `--serviceaccount=${NAMESPACE}:${name}`;
    if (role !== undefined)
      await cluster.kubectl(['create', 'clusterrolebinding', `${NAMESPACE}-${name}`, `--clusterrole=${role}`, subject]);
    return await inNamespace(await cluster.kubeconfigOf(NAMESPACE, name));
  };

  test('reports the state of each kind: absent, not ready, deleted, ready', async () => {
    const kubeconfig = await accountWith('waiter', 'cluster-admin');
    const waits = cases.flatMap(({ wait }) => ['--wait', wait]);
    await using waiting = await startInit(['--kubeconfig', kubeconfig, '--timeout', '1h', ...waits], env);
    const step = async (
      column: (typeof COLUMNS)[number],
      act: (each: ObjectCase) => Promise<unknown>,
      wanted: (each: ObjectCase) => RegExp,
    ) => {
      for (const each of cases) {
        const from = waiting.statesOf(each.wait).length;
        if (column !== 'absent') await act(each);
        cells.set(each.kind, column, await waiting.state(each.wait, wanted(each), column === 'absent' ? 0 : from));
      }
    };
    await step(
      'absent',
      () => Promise.resolve(),
      ({ absent }) => absent,
    );
    await step(
      'not yet',
      (each) => each.create(),
      ({ notYet }) => notYet,
    );
    await step(
      'deleted in mid-wait',
      (each) => each.remove(),
      ({ deleted = /^$/ }) => deleted,
    );
    for (const each of cases) await each.create();
    await step(
      'met',
      (each) => each.meet(),
      ({ met }) => met,
    );
    assert.equal(await waiting.ended, 0);
  });

  test('without permissions exits with code 77 and the Role to apply, for every kind', async () => {
    const kubeconfig = await accountWith('nobody');
    const refused = async ({ kind, wait, resource }: ObjectCase) => {
      await using waiting = await startInit(['--kubeconfig', kubeconfig, '--wait', wait], env);
      assert.equal(await waiting.ended, 77, `${wait}: ${waiting.messages().join('\n')}`);
      const last = waiting.messages().at(-1) ?? '';
      assert.match(last, new RegExp(`may neither .* ${resource.replaceAll('.', String.raw`\.`)}`), wait);
      assert.match(last, /^kind: (Cluster)?Role$/m, wait);
      assert.equal(/^kind: ClusterRole$/m.test(last), resource === 'nodes', wait);
      cells.set(kind, '403', `77: ${/may neither[^;]*/.exec(last)?.[0] ?? ''}`);
    };
    const queue = [...cases];
    const worker = async () => {
      for (let each = queue.shift(); each !== undefined; each = queue.shift()) await refused(each);
    };
    await Promise.all([worker(), worker()]);
  });

  test('no cell of the table is empty', () => {
    assert.deepEqual(cells.empty(), []);
  });
});
