/**
 * Every Role printed by `kolla-init rbac`, bound to its own ServiceAccount: with it the wait succeeds without
 * permission warnings, and without any one of its verbs it does not. On two API servers: with and without WatchList.
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { KollaError } from '../../src/core/errors.ts';
import { dependenciesOf, waitFor, type WaitSettings } from '../../src/container/init/waits.ts';
import { canRunControlPlane, startControlPlane, type ControlPlane } from '../cluster/kubernetes/index.ts';
import { logLines, runHelper } from '../support/helper.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { NAMESPACE, objectCases, OWN_NODE, OWN_POD, prepare } from './waits-objects.ts';
import { Cells } from './waits-table.ts';

/** If the feature is disabled, a watch does not mark the end of its initial events. */
const AS_OLD_SERVERS = { 'feature-gates': 'WatchList=false' };
const TIMEOUT_S = 60;
/** Number of concurrent waits, which mostly wait for responses and for silence. */
const AT_ONCE = 6;
/** Deadline of a wait that cannot succeed, but must log what is missing, even on a busy machine. */
const IN_VAIN_S = 8;
/** Deadline of a wait that only has to exceed it. */
const NEVER_S = 2;
const MANY = Array.from({ length: 9 }, (_, i) => `configmap/many-${i}`);

interface Rule {
  readonly verbs: readonly string[];
  readonly resources: readonly string[];
}

interface Item {
  readonly kind: string;
  readonly rules?: readonly Rule[];
}

interface Row {
  readonly name: string;
  readonly waits: readonly string[];
  readonly options?: readonly string[];
  /** The resource without whose verb the wait never succeeds, because it is not the dependency. */
  readonly inVain?: 'leases';
}

describe('the Roles of kolla-init rbac', { skip: (await canRunControlPlane()) ?? false }, () => {
  let cluster: ControlPlane;
  let oldServer: string;
  let rows: readonly Row[] = [];
  const granted: { readonly row: Row; readonly account: string; readonly items: readonly Item[] }[] = [];
  const cells = new Cells(['Role', 'with it', 'without one verb']);
  const inNamespace = (...args: string[]) => cluster.kubectl([`--namespace=${NAMESPACE}`, ...args]);
  const create = (object: object) =>
    cluster.kubectl([`--namespace=${NAMESPACE}`, 'create', '--filename=-'], JSON.stringify(object));

  before(async () => {
    cluster = await startControlPlane();
    await cluster.kubectl(['create', 'namespace', NAMESPACE]);
    const [old] = await Promise.all([cluster.addApiServer(AS_OLD_SERVERS), prepare(cluster)]);
    oldServer = old.server;
    rows = await everythingMet(cluster, create);
  });
  after(async () => {
    process.stdout.write(`\n${cells.table()}\n`);
    await cluster[Symbol.asyncDispose]();
  });

  /** Creates ServiceAccounts with these Roles concurrently. */
  const makeAccounts = async (accounts: readonly { readonly account: string; readonly items: readonly Item[] }[]) => {
    const items = accounts.flatMap(({ account: name, items: its }) => [
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: NAMESPACE } },
      ...its,
    ]);
    await cluster.kubectl(['apply', '--filename=-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  };
  /** The kubeconfigs of the account for both servers. */
  const kubeconfigsOf = async (account: string) => {
    const fresh = await cluster.kubeconfigOf(NAMESPACE, account);
    const old = `${fresh}.old`;
    await writeFile(old, (await readFile(fresh, 'utf8')).replaceAll(cluster.server, oldServer), { mode: 0o600 });
    return { fresh, old };
  };

  /** kolla-init's waits in this process: a hundred processes would cost ten times as much as the waits. */
  const wait = async (kubeconfig: string, { waits }: Row, seconds = TIMEOUT_S) => {
    const { log, said } = recordedLog('info');
    const settings: WaitSettings = {
      timeoutMs: seconds * 1000,
      kubeconfig,
      podName: OWN_POD,
      // The wait must determine its node itself.
      nodeName: undefined,
      onFailedJob: 'fail',
      daemonsetAbsent: 'wait',
      trust: { insecure: false },
      // The default is too short for a busy machine.
      announceMs: 60_000,
    };
    const { signal } = new AbortController();
    const failure = await waitFor(await dependenciesOf(waits), settings, {
      signal,
      log,
      live: undefined,
      inherited: {},
    }).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure !== undefined && !(failure instanceof KollaError)) throw failure;
    const lines = [...logLines(said()), ...(failure === undefined ? [] : [{ level: 'error', msg: failure.message }])];
    const complaint = lines.find(({ level, msg }) => level === 'warn' || msg.includes('forbidden'))?.msg;
    return { code: failure?.exitCode ?? 0, complaint, last: lines.at(-1)?.msg ?? '' };
  };

  /** The output of kolla-init rbac for an account with this name. */
  const rolesOf = async ({ waits, options = [] }: Row, account: string): Promise<readonly Item[]> => {
    const who = ['--namespace', NAMESPACE, '--service-account', account];
    const args = ['rbac', ...waits.flatMap((each) => ['--wait', each]), ...who, ...options, '-o', 'json'];
    return (JSON.parse((await runHelper('kolla-init', args)).stdout) as { items: readonly Item[] }).items;
  };

  test('each is sufficient, without warnings about permissions', async () => {
    const trials = await manyAtOnce(rows, async (row, index) => {
      const account = `row-${index}`;
      return { row, account, items: await rolesOf(row, account) };
    });
    await makeAccounts(trials);
    await manyAtOnce(trials, async ({ row, account, items }) => {
      granted.push({ row, account, items });
      cells.set(row.name, 'Role', rulesText(items));
      // If it sends the same requests to both servers, one server is enough.
      const servers = Object.entries(await kubeconfigsOf(account));
      for (const [server, kubeconfig] of servers.filter(([name]) => name === 'fresh' || asksForLists(items))) {
        const { code, complaint, last } = await wait(kubeconfig, row);
        assert.equal(code, 0, `${row.name} on the ${server} server: ${last}`);
        assert.equal(complaint, undefined, `${row.name} on the ${server} server`);
      }
      cells.set(row.name, 'with it', 'met');
    });
  });

  test('each is minimal: a wait without one of its verbs is denied, or reports what is missing', async () => {
    const trials = granted.flatMap(({ row, account: whole, items: all }) =>
      verbsOf(all).map(({ item, rule, verb }, i) => {
        const account = `${whole}-less-${i}`;
        const isInVain = all[item]?.rules?.[rule]?.resources.some((resource) => resource === row.inVain) ?? false;
        return { row, verb, isInVain, account, items: less(renamed(all, whole, account), item, rule, verb) };
      }),
    );
    await makeAccounts(trials);
    await manyAtOnce(trials, async ({ row, verb, isInVain, account, items }) => {
      const { old } = await kubeconfigsOf(account);
      const { code, complaint } = await wait(old, row, isInVain ? IN_VAIN_S : TIMEOUT_S);
      const how = code === 0 ? (complaint === undefined ? 'met in silence' : 'polls') : String(code);
      const others = cells.at(row.name, 'without one verb');
      cells.set(row.name, 'without one verb', `${others === '' ? '' : `${others}, `}${verb}: ${how}`);
      assert.match(how, isInVain ? /^75$/ : /^(77|polls)$/, `${row.name} without ${verb}, with ${rulesText(items)}`);
    });
  });

  test('with --events it may create an Event on its Pod', async () => {
    const row = { name: 'events', waits: ['node?node=own&jsonpath={.status.none}'], options: ['--events'] };
    const trial = { account: 'events', items: await rolesOf(row, 'events') };
    await makeAccounts([trial]);
    assert.equal((await wait((await kubeconfigsOf('events')).fresh, row, NEVER_S)).code, 75);
    const said = await inNamespace('get', 'events', '--field-selector=reason=DependenciesNotMet', '--output=json');
    const { items } = JSON.parse(said) as { items: { involvedObject: { name: string }; message: string }[] };
    assert.deepEqual(
      items.map(({ involvedObject, message }) => [involvedObject.name, message.split(' ', 4).join(' ')]),
      [[OWN_POD, `not ready after ${NEVER_S}s:`]],
    );
  });

  test('no cell of the table is empty', () => {
    assert.deepEqual(cells.empty(), []);
  });
});

/** Creates all dependencies, and returns them. */
async function everythingMet(
  cluster: ControlPlane,
  create: (object: object) => Promise<string>,
): Promise<readonly Row[]> {
  const cases = objectCases(cluster);
  for (const each of cases) await each.create();
  const target = { apiVersion: 'v1', kind: 'Node', name: OWN_NODE };
  const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: OWN_POD, namespace: NAMESPACE }, target };
  const path = `/api/v1/namespaces/${NAMESPACE}/pods/${OWN_POD}/binding`;
  await cluster.kubectl(['create', `--raw=${path}`, '--filename=-'], JSON.stringify(binding));
  await Promise.all(cases.map((each) => each.meet()));
  const annotations = { 'kolla-pod/ready-for': '' };
  const metadata = { name: 'kolla-db-sync-gone', annotations };
  await create({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata });
  const maps = MANY.map((each) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: each.replace('configmap/', '') },
  }));
  await create({ apiVersion: 'v1', kind: 'List', items: maps });
  return [
    ...cases.map(({ kind, wait }) => ({ name: kind, waits: [lasting(wait)] })),
    { name: 'job gone, Lease left', waits: ['job/gone-db-sync'], inVain: 'leases' },
    { name: 'not there', waits: ['!job/never'] },
    { name: 'node=own', waits: ['node?node=own&jsonpath={.metadata.name}'] },
    { name: 'container, --pod-name', waits: ['container/sidecar'], options: ['--pod-name', OWN_POD] },
    { name: '9 ConfigMaps', waits: MANY },
    { name: '9 Pods', waits: ['pod/galera-0', ...Array.from({ length: 8 }, (_, i) => `!pod/no-${i}`)] },
  ];
}

/** Uses stable states: controllers revert a claim's and, without a kubelet, a node's status. */
function lasting(wait: string): string {
  const [what = wait] = wait.split('?jsonpath');
  if (!/^(?:node|pvc)/.test(wait)) return wait;
  return `${what}${what.includes('?') ? '&' : '?'}jsonpath={.metadata.name}`;
}

function asksForLists(items: readonly Item[]): boolean {
  return verbsOf(items).some(({ verb }) => verb === 'list');
}

function verbsOf(items: readonly Item[]): { item: number; rule: number; verb: string }[] {
  return items.flatMap(({ rules = [] }, item) =>
    rules.flatMap(({ verbs }, rule) => verbs.map((verb) => ({ item, rule, verb }))),
  );
}

/** The same Roles, for a different account. */
function renamed(items: readonly Item[], account: string, other: string): readonly Item[] {
  // Matched as a whole word, because row-10 contains row-1.
  return JSON.parse(JSON.stringify(items).replaceAll(new RegExp(`${account}(?=")`, 'g'), other)) as readonly Item[];
}

function less(items: readonly Item[], item: number, rule: number, verb: string): readonly Item[] {
  return items.map((each, i) => {
    if (i !== item || each.rules === undefined) return each;
    const rules = each.rules.map((one, j) =>
      j === rule ? { ...one, verbs: one.verbs.filter((v) => v !== verb) } : one,
    );
    return { ...each, rules: rules.filter(({ verbs }) => verbs.length > 0) };
  });
}

function rulesText(items: readonly Item[]): string {
  return items
    .flatMap(({ rules = [] }) => rules)
    .map(({ resources, verbs }) => `${resources.join()}: ${verbs.join()}`)
    .join('; ');
}

/** Runs the work for all items, AT_ONCE at a time. The results are in the order of the items. */
async function manyAtOnce<T, R>(all: readonly T[], work: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const queue = [...all.entries()];
  const results: R[] = [];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      results[next[0]] = await work(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}
