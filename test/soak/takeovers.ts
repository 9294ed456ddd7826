/**
 * A thousand takeovers of a migration: `make soak`, with `SEED=n` and `TAKEOVERS=n` where others are wanted.
 *
 *   a cluster with Galera's own times, leases that are longer than its stalls -> its nodes and the holders struck
 *   a quick cluster, leases of 2 s -> every fault of a holder, then kills and releases until there are enough
 *
 * Prints progress, and seed, commit and counts into docs/evidence/soak-takeovers.json and .md once all are through. The
 * first thing that is wrong ends it with 1, the journal's end and what the contenders said; SIGINT with the counts so far.
 */
import { writeFileSync } from 'node:fs';
import { canRunGalera } from '../cluster/galera.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { must } from '../support/process.ts';
import { oneOf, randomFrom, shuffled } from '../support/random.ts';
import {
  HOLDER_FAULTS,
  KILL,
  NODE_FAULTS,
  openArena,
  openLane,
  play,
  RELEASE,
  Tally,
  type Game,
  type Lane,
} from '../takeovers/index.ts';

const TAKEOVERS = Number(process.env['TAKEOVERS'] || 1000);
const SEED = Number(process.env['SEED'] || Math.floor(Date.now() / 1000));
const LANES = 5;
/** With as many lanes: at least 10 takeovers of each fault. */
const ROUNDS = 2;
/** Longer than the 15 s after which Galera gives a silent node up. */
const GALERA_TRUE = { leaseMs: 30_000, lossMs: 20_000 };
const QUICK = { leaseMs: 2000, lossMs: 1000 };
const TELL_MS = 60_000;

const missing = (await canRunGalera()) ?? (await canRunControlPlane());
if (missing === undefined) await soak();
else console.log(`not run on this machine: ${missing}`);

async function soak(): Promise<void> {
  const began = performance.now();
  const seconds = () => Math.round((performance.now() - began) / 1000);
  const commit = (await must('git', ['rev-parse', '--short=12', 'HEAD'])).trim();
  const changed = (await must('git', ['status', '--porcelain', '--', 'src', 'test/takeovers', 'test/soak'])).trim();
  console.log(`takeovers on three nodes of Galera: seed ${SEED}, ${TAKEOVERS} takeovers, commit ${commit}`);
  const random = randomFrom(SEED);
  const [slow, quick] = [new Tally(), new Tally()];
  const tell = () => console.log(`${seconds()} s: ${slow.total + quick.total} of ${TAKEOVERS} takeovers`);
  const stop = () => {
    console.log([`interrupted after ${seconds()} s`, ...slow.lines(), ...quick.lines()].join('\n'));
    // As if nobody had listened.
    process.kill(process.pid, 'SIGINT');
  };
  process.once('SIGINT', stop);
  const timer = setInterval(tell, TELL_MS);
  try {
    await withGalerasTimes({ random, tally: slow });
    await quickly({ random, tally: quick }, () => slow.total + quick.total < TAKEOVERS);
  } finally {
    clearInterval(timer);
    process.removeListener('SIGINT', stop);
  }
  const evidence = {
    commit: changed === '' ? commit : `${commit} with uncommitted changes`,
    seed: SEED,
    takeovers: slow.total + quick.total,
    overlaps: 0,
    // Their holder had lost its lease before the fault came; judged as all are.
    spoiled: slow.spoiled + quick.spoiled,
    seconds: seconds(),
    galeraTimes: slow.lines(),
    quick: quick.lines(),
  };
  console.log(JSON.stringify(evidence, undefined, 2));
  writeFileSync('docs/evidence/soak-takeovers.json', `${JSON.stringify(evidence, undefined, 2)}\n`);
  writeFileSync('docs/evidence/soak-takeovers.md', pageOf(evidence));
}

/** Galera's own times: its nodes killed, cut off and frozen under all lanes at once, and each holder struck. */
async function withGalerasTimes(game: Game): Promise<void> {
  await inLanes('real', GALERA_TRUE, async (lanes) => {
    for (let round = 0; round < ROUNDS; round++) {
      for (const fault of shuffled(game.random, NODE_FAULTS)) await play(lanes, fault, game);
      const strike = async (lane: Lane) => {
        for (const fault of shuffled(game.random, HOLDER_FAULTS)) await play([lane], fault, game);
      };
      await Promise.all(lanes.map(strike));
    }
  });
}

async function quickly(game: Game, isWanted: () => boolean): Promise<void> {
  await inLanes('quick', QUICK, async (lanes) => {
    const contend = async (lane: Lane) => {
      for (let round = 0; round < ROUNDS; round++)
        for (const fault of shuffled(game.random, HOLDER_FAULTS)) await play([lane], fault, game);
      while (isWanted()) await play([lane], oneOf(game.random, [KILL, KILL, RELEASE]), game);
    };
    await Promise.all(lanes.map(contend));
  });
}

async function inLanes(
  timing: 'real' | 'quick',
  times: typeof QUICK,
  work: (lanes: readonly Lane[]) => Promise<void>,
): Promise<void> {
  await using arena = await openArena(timing);
  await using stack = new AsyncDisposableStack();
  const lanes: Lane[] = [];
  while (lanes.length < LANES) lanes.push(stack.use(await openLane(arena, times)));
  await work(lanes);
}

interface Evidence {
  readonly commit: string;
  readonly seed: number;
  readonly takeovers: number;
  readonly overlaps: number;
  readonly spoiled: number;
  readonly seconds: number;
  readonly galeraTimes: readonly string[];
  readonly quick: readonly string[];
}

function pageOf({ commit, seed, takeovers, overlaps, spoiled, seconds, galeraTimes, quick }: Evidence): string {
  const list = (lines: readonly string[]) => lines.map((line) => `- ${line}`);
  return [
    '# Takeovers of a migration, at length',
    '',
    `Printed by \`make soak\` at commit ${commit}, in ${seconds} s, with seed ${seed}: 12 contenders a database over three nodes of`,
    `Galera, ${LANES} databases at a time, with a Lease, a fence row and an account of its own for each migration. The first overlap,`,
    'token that does not grow, row of a fenced migration, or takeover that does not come would have ended it.',
    '',
    '| what | |',
    '|---|---|',
    `| takeovers | ${takeovers} |`,
    `| overlaps | ${overlaps} |`,
    `| not counted, as the holder had lost its lease before the fault came (judged all the same) | ${spoiled} |`,
    '',
    `Galera's own times, lease ${GALERA_TRUE.leaseMs / 1000} s, from the fault to the successor's first row:`,
    '',
    ...list(galeraTimes),
    '',
    `A cluster that gives a node up after 4 s, lease ${QUICK.leaseMs / 1000} s:`,
    '',
    ...list(quick),
    '',
  ].join('\n');
}
