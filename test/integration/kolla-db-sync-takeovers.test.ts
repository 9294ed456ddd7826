/**
 * Takeovers on three Galera nodes: 12 contenders per database, every kind of fault, judged by the migrations'
 * writes through all nodes. `make soak` runs a thousand of them.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { canRunGalera } from '../cluster/galera.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { randomFrom, shuffled } from '../support/random.ts';
import { until } from '../support/until.ts';
import {
  HOLDER_FAULTS,
  NODE_FAULTS,
  openArena,
  openLane,
  overlapsIn,
  play,
  readJournal,
  RELEASE,
  Tally,
  type Arena,
  type Lane,
} from '../../bench/takeovers/index.ts';
import { fileLimit } from '../support/file-limit.ts';

fileLimit(45);

const skip = (await canRunGalera()) ?? (await canRunControlPlane()) ?? false;
const WITHOUT_LOCK = fileURLToPath(new URL('../../bench/takeovers/without-lock.ts', import.meta.url));
const SEED = 6;
const LANES = 3;
/** As short as possible on a machine that two test files share. */
const QUICK = { leaseMs: 4000, lossMs: 2500 };
/** Longer than a cluster with suspect_timeout 2 s and inactive_timeout 4 s stalls until it evicts a node. */
const PATIENT = { leaseMs: 8000, lossMs: 6000 };

describe('takeovers on three nodes of Galera', { skip }, () => {
  const tally = new Tally();
  const random = randomFrom(SEED);
  let arena: Arena;
  before(async () => {
    arena = await openArena();
  });
  after(() => arena[Symbol.asyncDispose]());

  async function inLanes(t: TestContext, times: typeof QUICK, work: (lanes: readonly Lane[]) => Promise<void>) {
    await using stack = new AsyncDisposableStack();
    const lanes: Lane[] = [];
    // Faults of the API server do not affect a lock that consists of the row only.
    const isRow = () => times === PATIENT && lanes.length === LANES - 1;
    while (lanes.length < LANES)
      lanes.push(stack.use(await openLane(arena, { ...times, lock: isRow() ? 'row' : 'lease' })));
    await work(lanes);
    for (const line of tally.lines()) t.diagnostic(line);
  }

  test('whatever happens to the holder, only one run migrates at a time, and one finishes', async (t) => {
    await inLanes(t, QUICK, async (lanes) => {
      const playAll = async (lane: Lane) => {
        for (const fault of shuffled(random, HOLDER_FAULTS)) await play([lane], fault, { random, tally });
      };
      await Promise.all(lanes.map(playAll));
    });
    for (const { name } of [RELEASE, ...HOLDER_FAULTS])
      assert.ok(tally.of(name) >= LANES, `${name}: ${tally.of(name)}`);
  });

  test("whatever happens to the holder's node, only one run migrates at a time, and one finishes", async (t) => {
    await inLanes(t, PATIENT, async (lanes) => {
      for (const fault of NODE_FAULTS) await play(lanes, fault, { random, tally });
    });
    for (const { name } of NODE_FAULTS) assert.ok(tally.of(name) >= LANES, `${name}: ${tally.of(name)}`);
  });

  test('at least 40 takeovers were counted', () => assert.ok(tally.total >= 40, String(tally.total)));

  test('without the lock the same contest shows overlaps', async (t) => {
    await using lane = await openLane(arena, { ...PATIENT, program: WITHOUT_LOCK });
    // A contender that loses its turn before its migration has started exits with an error.
    const all = () => lane.began.length + lane.failed.length === 12;
    await lane.changes.until('all of them to migrate or to fail', all);
    const [node] = arena.sound();
    const overlaps = await until('a row of a migrator whose turn was over', async () => {
      const seen = overlapsIn(await readJournal(node!, lane.database));
      return seen.length > 0 ? seen : undefined;
    });
    t.diagnostic(`without the lock: ${overlaps.length} rows of a migrator whose turn was over`);
  });
});
