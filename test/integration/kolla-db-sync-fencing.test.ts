/**
 * Takeovers on three Galera nodes from a frozen helper whose command runs on, with old replicas of the service that
 * use its account and must not be affected.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { canRunGalera, startGalera, type Galera, type GaleraNode } from '../cluster/galera.ts';
import { childrenOf } from '../support/children.ts';
import { startReplicas } from './kolla-db-sync-replicas.ts';
import { beginHelper, CALM, migration, siteOn, type Begun } from './kolla-db-sync-support.ts';

const ADMIN = ['--admin-user', 'root'];

describe('a takeover on Galera under live replicas', { skip: (await canRunGalera()) ?? false }, () => {
  let galera: Galera;
  let first: GaleraNode;
  let second: GaleraNode;
  before(async () => {
    galera = await startGalera();
    [first, second] = galera.nodes as [GaleraNode, GaleraNode];
  });
  after(() => galera[Symbol.asyncDispose]());

  /** A database with its tables, replicas on all nodes, and kolla-db-sync through one of them. */
  async function stage(withAdmin: boolean) {
    const site = siteOn(first);
    assert.equal((await site.sync(migration(0))).code, 0);
    await galera.waitApplied();
    const { database, password } = site;
    const begin = (node: GaleraNode, ...args: string[]) =>
      beginHelper(
        ['keystone', '--host', `${node.host}:${node.port}`, ...CALM, ...(withAdmin ? ADMIN : []), ...args],
        withAdmin ? site.env : { KOLLA_DB_SYNC_CONNECTION: site.env['KOLLA_DB_SYNC_CONNECTION'] },
      );
    const state = async () => {
      const query = async (sql: string) =>
        (await second.query(`SET wsrep_sync_wait = 7; SELECT ${sql}`)).at(-1) as unknown as Record<string, unknown>[];
      const rowsOf = (table: string, order: string) => query(`* FROM ${database}.${table} ORDER BY ${order}`);
      return {
        journal: await rowsOf('journal', 'id'),
        fence: await rowsOf('kolla_pod_fence', 'name'),
        records: await rowsOf('kolla_pod_record', 'token'),
        accounts: await query(`User FROM mysql.user WHERE User LIKE '${database}%' ORDER BY User`),
      };
    };
    return { site, begin, state, account: { user: database, password, database } };
  }

  describe('cases with a separate database each', { concurrency: 3 }, () => {
    test("after a helper freezes, the next one ends its unguarded command's sessions and drops its account", async () => {
      const { site, begin, state, account } = await stage(true);
      await using replicas = await startReplicas(galera.nodes, account);
      await replicas.writing();
      await using holder = await begin(first, '--release', 'r1', ...migration(120_000));
      await holder.saying(/started/);
      // Without its guard, the command continues while its helper is frozen.
      process.kill(-guardOf(holder), 'SIGKILL');
      process.kill(holder.running.pid, 'SIGSTOP');
      await using successor = await begin(second, '--release', 'r2', ...migration(0));
      assert.equal(await successor.code, 0, successor.said());
      assert.match(successor.said(), /killed, and not gone yet: session \d+ on .* from 127\.0\.0\.1/);
      assert.match(successor.said(), /account key_stone\d+_m2_[0-9a-f]{6} is dropped/);
      const atTakeover = await state();
      process.kill(holder.running.pid, 'SIGCONT');
      assert.equal(await holder.code, 69, holder.said());
      await replicas.writing();
      assert.deepEqual(replicas.broken, []);
      assert.deepEqual(await state(), atTakeover, 'the first one wrote after it was taken over');
      assert.deepEqual(
        atTakeover.accounts.filter(({ User }) => String(User).startsWith(`${site.database}_m`)),
        [],
      );
    });

    test('without an admin the guard kills the command of a frozen helper; thawed, it writes nothing', async () => {
      const { begin, state } = await stage(false);
      await using holder = await begin(first, '--release', 'r1', ...migration(120_000));
      await holder.saying(/started/);
      process.kill(holder.running.pid, 'SIGSTOP');
      await using successor = await begin(second, '--release', 'r2', ...migration(0));
      assert.equal(await successor.code, 0, successor.said());
      const atTakeover = await state();
      process.kill(holder.running.pid, 'SIGCONT');
      assert.equal(await holder.code, 69, holder.said());
      assert.deepEqual(await state(), atTakeover, 'the first one wrote after it was taken over');
    });

    test("does not touch sessions that may be the service's: an operator decides", async () => {
      const { begin, account, state } = await stage(false);
      await using replicas = await startReplicas(galera.nodes, account);
      await replicas.writing();
      await using holder = await begin(first, '--release', 'r1', ...migration(120_000));
      await holder.saying(/started/);
      process.kill(holder.running.pid, 'SIGKILL');
      await using refused = await begin(second, '--release', 'r2', ...migration(0));
      assert.equal(await refused.code, 69, refused.said());
      const [, list = ''] =
        /may be the service's, or the interrupted migration's [^:]*: (.*?)\. KILL those/.exec(refused.said()) ?? [];
      for (const { port } of galera.nodes) assert.match(list, new RegExp(`on [^ ]*:${port} from 127`));
      assert.match(refused.said(), /run this with --predecessor-ended 2/);
      assert.equal((await state()).fence[0]?.['state'], 'failed');
      await using told = await begin(second, '--release', 'r2', '--predecessor-ended', '2', ...migration(0));
      assert.equal(await told.code, 0, told.said());
      await replicas.writing();
      assert.deepEqual(replicas.broken, []);
    });
  });

  // One of the nodes rejects every admin.
  test('retries a listed node that is unreachable, and names it at the deadline', async () => {
    const { begin } = await stage(true);
    const third = galera.nodes[2]!;
    await using holder = await begin(first, ...migration(120_000));
    await holder.saying(/started/);
    process.kill(holder.running.pid, 'SIGKILL');
    // Only on that node.
    const admit = (how: string) => third.query(`SET SESSION wsrep_on = OFF; ALTER USER root@'%' ACCOUNT ${how}`);
    await admit('LOCK');
    try {
      await using late = await begin(second, '--timeout', '20s', ...migration(0));
      assert.equal(await late.code, 69, late.said());
      assert.match(
        late.said(),
        new RegExp(`waited \\d+.*cannot end .*_m2_.* on node 127.0.0.1:${third.port}: error 4151`),
      );
      await using successor = await begin(second, ...migration(0));
      await successor.saying(/waiting: cannot end .* on node/);
      await admit('UNLOCK');
      assert.equal(await successor.code, 0, successor.said());
    } finally {
      await admit('UNLOCK');
    }
  });
});

/** The guard, which is one of the helper's children. */
function guardOf({ running }: Begun): number {
  const guard = childrenOf(running.pid).find(({ commandLine }) => commandLine.includes('kolla-db-sync-guard'));
  assert.ok(guard, 'the helper has no guard');
  return guard.pid;
}
