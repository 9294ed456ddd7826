/**
 * The fence on three nodes of Galera. Overlap is judged by what the migrations themselves wrote through all nodes, in
 * the order in which the cluster committed it; the same contest without the lock must show overlaps.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parseMysqlUrl } from '../../src/platform/mysql/index.ts';
import { openFence, takeFence } from '../../src/dbsync/lock/fence.ts';
import type { Effects, Plan } from '../../src/dbsync/plan.ts';
import { reach } from '../../src/dbsync/target/reach.ts';
import { sync } from '../../src/dbsync/sync.ts';
import { takeTurn, type TakeTurn } from '../../src/dbsync/lock/turn.ts';
import { canRunGalera, startGalera, type Galera, type GaleraNode } from '../cluster/galera.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { beginOn, overlapsIn, runsOf, siteOnGalera, type GaleraSite } from './kolla-db-sync-galera-support.ts';
import type { Begun } from './kolla-db-sync-support.ts';

const skip = (await canRunGalera()) ?? false;
const CONTENDERS = 12;
/** Without the lock each take makes those fail that have not begun yet: of a crowd nobody would begin. */
const CONTENDERS_WITHOUT = 3;
const ROUNDS = 3;
const CONTEST_MS = 10_000;

/** Takes the fence row as it stands, from whoever has it: what a migrator without a lock would do. */
const withoutLock: TakeTurn = async (plan, { signal, log }) => {
  const { target, timeoutMs, galeraDonor } = plan;
  const session = await reach(target, { timeoutMs, signal, log, database: target.database, galeraDonor });
  const claim = { holder: `c${Math.random()}`, service: plan.service, release: plan.release, phase: '', work: '' };
  for (;;) {
    const row = await openFence(session);
    const takenAt = performance.now();
    const token = await takeFence(session, claim, row);
    if (token === undefined) continue;
    return { session, lockName: 'nobody', claim, token, takenAt, before: { ...row, state: 'new' } };
  }
};

function planFor(site: GaleraSite, node: GaleraNode, release: string): Plan {
  return {
    service: 'keystone',
    release,
    phase: 'command',
    steps: [{ argv: site.migration(ROUNDS) }],
    check: undefined,
    target: parseMysqlUrl(site.url(node)),
    others: [],
    admin: undefined,
    childEnv: () => site.env,
    timeoutMs: 30_000,
    lockTimeoutMs: 60_000,
    lossMs: 20_000,
    leaseMs: 30_000,
    graceMs: 1000,
    galeraDonor: 'ok',
    accountHost: ['%'],
    rotate: false,
    charset: 'utf8mb3',
    collation: 'utf8mb3_general_ci',
  };
}

/** Contenders on all nodes migrate again and again until the time is over; each ends what it has begun. */
async function contest(
  galera: Galera,
  site: GaleraSite,
  take: TakeTurn,
  contenders: number,
): Promise<{ done: number; refused: number }> {
  const counts = { done: 0, refused: 0 };
  const end = performance.now() + CONTEST_MS;
  const { signal } = new AbortController();
  const contend = async (number: number) => {
    const node = galera.nodes[number % galera.nodes.length]!;
    for (let round = 0; performance.now() < end; round++) {
      const effects: Effects = { signal, log: recordedLog().log, redact: (text) => text };
      await sync(planFor(site, node, `r${number}-${round}`), effects, take).then(
        (code) => (code === 0 ? (counts.done += 1) : (counts.refused += 1)),
        () => (counts.refused += 1),
      );
    }
  };
  await Promise.all(Array.from({ length: contenders }, (_, number) => contend(number)));
  return counts;
}

describe('kolla-db-sync on three nodes of Galera', { skip, timeout: 300_000 }, () => {
  let galera: Galera;
  before(async () => {
    galera = await startGalera();
  });
  after(() => galera[Symbol.asyncDispose]());

  test('of 12 contenders on 3 nodes one migrates at a time', async (t) => {
    const site = await siteOnGalera(galera);
    const counts = await contest(galera, site, takeTurn, CONTENDERS);
    const journal = await site.journal();
    const { begun, whole } = runsOf(journal);
    const overlaps = overlapsIn(journal);
    t.diagnostic(`with the lock: ${begun} migrations, ${overlaps} overlaps, ${counts.refused} refused`);
    assert.deepEqual({ overlaps, refused: counts.refused, whole }, { overlaps: 0, refused: 0, whole: begun });
    assert.ok(begun >= CONTENDERS);
    assert.equal((await site.fence())?.['token'], begun);
  });

  test('the same contest without the lock shows overlaps', async (t) => {
    const site = await siteOnGalera(galera);
    await contest(galera, site, withoutLock, CONTENDERS_WITHOUT);
    const overlaps = overlapsIn(await site.journal());
    t.diagnostic(`without the lock: ${overlaps} overlaps`);
    assert.ok(overlaps > 0);
  });
});

interface Fault {
  readonly name: string;
  /** Done to the holder, whose node is the first, while its migration runs. */
  readonly strike: (holder: Begun, node: GaleraNode) => Promise<void> | void;
  /** After the successor has finished. */
  readonly mend: (node: GaleraNode) => Promise<void> | void;
  /** What the holder's log says of it; nothing when it was killed. */
  readonly says: RegExp;
}

const FAULTS: readonly Fault[] = [
  {
    name: 'the holder is killed',
    strike: ({ running }) => void process.kill(running.pid, 'SIGKILL'),
    mend: () => {},
    says: /./,
  },
  {
    name: "the holder's node is killed",
    strike: (_, node) => node.kill(),
    mend: (node) => node.start(),
    says: /was stopped while it ran|the server closed the connection/,
  },
  {
    name: "the holder's node is cut off from the others",
    strike: (_, node) => node.isolate(),
    mend: (node) => node.heal(),
    says: /was stopped while it ran|ended with 3/,
  },
  {
    name: "the holder's node freezes, and thaws after the takeover",
    strike: (_, node) => node.freeze(),
    mend: (node) => node.thaw(),
    says: /was stopped while it ran/,
  },
];

describe('kolla-db-sync and a fault on Galera', { skip, timeout: 400_000 }, () => {
  let galera: Galera;
  before(async () => {
    galera = await startGalera();
  });
  after(() => galera[Symbol.asyncDispose]());

  for (const { name, strike, mend, says } of FAULTS) {
    test(`when ${name}, the next one migrates after it and never beside it`, async (t) => {
      const [first, second, third] = galera.nodes as [GaleraNode, GaleraNode, GaleraNode];
      const site = await siteOnGalera(galera);
      const times = ['--lock-loss', '6s', '--lease', '8s'];
      await using holder = await beginOn(site, [first, second, third], [...times, '--', ...site.migration(10_000)]);
      await holder.saying(/started/);
      const own = site.migration(1);
      const alive = [...own.slice(0, 4), String(second.port), String(third.port)];
      await using successor = await beginOn(site, [second, third], [...times, '--release', 'next', '--', ...alive]);
      await successor.saying(/waiting: .* token 1/);
      await strike(holder, first);
      const struckAt = performance.now();
      assert.equal(await successor.code, 0, successor.said());
      t.diagnostic(`taken over and migrated ${Math.round(performance.now() - struckAt)} ms after the fault`);
      const atTakeover = await site.journal(second);
      await mend(first);
      assert.notEqual(await holder.code, 0);
      await galera.waitWhole();
      const journal = await site.journal(second);
      assert.equal(overlapsIn(journal), 0);
      assert.deepEqual(journal, atTakeover, 'the first one wrote after it was taken over');
      assert.deepEqual(runsOf(journal), { begun: 2, whole: 1 });
      const { token, state, release } = (await site.fence(second)) ?? {};
      assert.deepEqual({ token, state, release }, { token: 2, state: 'done', release: 'next' });
      assert.match(holder.said(), says);
    });
  }

  test('the next one waits for the statement that another node still runs for a dead command', async () => {
    const [first, second] = galera.nodes as [GaleraNode, GaleraNode];
    const site = await siteOnGalera(galera);
    const [shell, script, client] = site.migration(0) as unknown as [string, string, string];
    assert.equal(await (await beginOn(site, [first], ['--', ...site.migration(0)])).code, 0);
    const late = `"$0" -h 127.0.0.1 -P ${first.port} -u ${site.database} ${site.database} -e "UPDATE journal SET what = 'late' WHERE n = 1"`;
    const times = ['--lock-loss', '2s', '--lease', '4s'];
    await using blocker = await first.session();
    await blocker.query('BEGIN');
    await blocker.query(`SELECT * FROM ${site.database}.journal WHERE n = 1 FOR UPDATE`);
    await using holder = await beginOn(site, [first], [...times, '--', shell, '-c', `echo started; ${late}`, client]);
    await holder.saying(/started/);
    await using successor = await beginOn(
      site,
      [second],
      [...times, '--', shell, script, client, '0', String(second.port)],
    );
    await successor.saying(/waiting: .* token 2/);
    process.kill(holder.running.pid, 'SIGKILL');
    await successor.saying(/waiting: statements that may be of the migration before: .*UPDATE journal SET what = '\?'/);
    assert.doesNotMatch(successor.said(), /running sh/);
    await blocker.query('COMMIT');
    assert.equal(await successor.code, 0, successor.said());
    assert.equal((await site.journal())[0]?.what, 'late');
  });
});
