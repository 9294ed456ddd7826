/**
 * A thousand takeovers: `make soak`; `SEED=n` and `TAKEOVERS=n` change the defaults.
 *
 *   a cluster with Galera's own timeouts, lanes with a lease of 30 s: the holder frozen, its node killed, partitioned,
 *     frozen -> a cluster that evicts silent nodes early, lanes with a lease of 2 s: the holder killed repeatedly, and
 *     every other fault that leaves the nodes running -> after each fault a migrator finishes -> every takeover judged
 *
 * Writes docs/evidence/soak-takeovers.md and .json at the end. The first wrong takeover makes it exit with 1 and the
 * diagnostics; Ctrl-C prints the counts so far.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { canRunGalera } from '../../test/cluster/galera.ts';
import { canRunControlPlane } from '../../test/cluster/kubernetes/index.ts';
import { commitNow } from '../../tools/commit.ts';
import { fileLimit } from '../../test/support/file-limit.ts';
import { randomFrom, shuffled } from '../../test/support/random.ts';
import {
  FROZEN,
  HOLDER_FAULTS,
  KILL,
  NODE_FAULTS,
  openArena,
  openLane,
  play,
  Tally,
  type Fault,
  type Lane,
} from '../takeovers/index.ts';
import { pageOf, type Part } from './takeovers-page.ts';

const TAKEOVERS = Number(process.env['TAKEOVERS'] || 1000);
const SEED = Number(process.env['SEED'] || Math.floor(Date.now() / 1000));
const LANES = 4;
/** Injections of each rare fault, over all lanes. */
const EACH = 12;
const TELL_MS = 30_000;
/** Without a new fault for this long, no migrator takes over: prints the open waits and exits. */
const STALLED_MINUTES = 10;

const began = performance.now();
const random = randomFrom(SEED);
const quick: Part = {
  name: 'lease 2 s, stopped after 1 s; a silent node is given up after 2 to 4 s',
  timing: 'quick',
  times: { leaseMs: 2000, lossMs: 1000 },
  tally: new Tally(),
};
const real: Part = {
  name: "lease 30 s, stopped after 20 s; Galera's own timeouts, 5 to 15 s",
  timing: 'real',
  times: { leaseMs: 30_000, lossMs: 20_000 },
  tally: new Tally(),
};

const missing = (await canRunGalera()) ?? (await canRunControlPlane());
if (missing === undefined) await soak();
else console.log(`not run on this machine: ${missing}`);

async function soak(): Promise<void> {
  const commit = await commitNow();
  console.log(`takeovers: seed ${SEED}, ${TAKEOVERS} of them, commit ${commit}`);
  const interrupted = Promise.withResolvers<never>();
  process.once('SIGINT', () => interrupted.reject(new Error('interrupted')));
  const telling = setInterval(() => console.log(progress()), TELL_MS);
  try {
    await inLanes(real, interrupted.promise, playReal);
    await inLanes(quick, interrupted.promise, playQuick);
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  } finally {
    clearInterval(telling);
  }
  for (const { name, tally } of [quick, real]) console.log(`${name}\n  ${tally.lines().join('\n  ')}`);
  if (process.exitCode === 1)
    return console.log(`ended after ${total()} of ${TAKEOVERS} takeovers: no page is written`);
  const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown CPU'}, load ${loadavg()[0]?.toFixed(1)} at the end`;
  const run = {
    commit,
    seed: SEED,
    machine,
    seconds: seconds(),
  };
  const parts = [quick, real];
  const evidence = parts.map(({ name, tally }) => ({
    name,
    taken: tally.taken,
    rows: tally.rows,
    spoiled: tally.spoiled,
  }));
  writeFileSync('docs/evidence/soak-takeovers.json', `${JSON.stringify({ ...run, parts: evidence }, undefined, 2)}\n`);
  writeFileSync('docs/evidence/soak-takeovers.md', pageOf(parts, run));
}

/** Opens a part's cluster and lanes while the work runs. */
async function inLanes(
  part: Part,
  end: Promise<never>,
  work: (lanes: readonly Lane[]) => Promise<void>,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const open = async (): Promise<void> => {
    const arena = stack.use(await openArena(part.timing));
    const lanes: Lane[] = [];
    while (lanes.length < LANES) lanes.push(stack.use(await openLane(arena, part.times)));
    await work(lanes);
  };
  const working = open();
  // Failures after the end are expected.
  working.catch(() => {});
  await Promise.race([working, end]);
}

async function playReal(lanes: readonly Lane[]): Promise<void> {
  const { tally } = real;
  const faults = [FROZEN, ...NODE_FAULTS].flatMap((fault) => Array.from({ length: EACH / LANES }, () => fault));
  for (const fault of shuffled(random, faults)) {
    fileLimit(STALLED_MINUTES);
    await play(lanes, fault, { random, tally });
  }
}

async function playQuick(lanes: readonly Lane[]): Promise<void> {
  const { tally } = quick;
  const others = HOLDER_FAULTS.filter((fault) => fault !== KILL);
  const seldom = others.flatMap((fault) => Array.from({ length: EACH / LANES }, () => fault));
  const inLane = async (lane: Lane): Promise<void> => {
    const left = [...seldom];
    while (left.length > 0 || total() < TAKEOVERS) {
      // Spreads the rare faults randomly among the kills.
      const isSeldom = random() * (TAKEOVERS - total()) < 2 * LANES * left.length;
      const fault: Fault = isSeldom ? left.splice(Math.floor(random() * left.length), 1)[0]! : KILL;
      fileLimit(STALLED_MINUTES);
      await play([lane], fault, { random, tally });
    }
  };
  await Promise.all(lanes.map(inLane));
}

function total(): number {
  return quick.tally.total + real.tally.total;
}

function seconds(): number {
  return Math.round((performance.now() - began) / 1000);
}

function progress(): string {
  const done = total();
  const minutes = (value: number) => (value / 60).toFixed(0);
  const left = done === 0 ? '' : `, at most ${minutes((seconds() / done) * (TAKEOVERS - done))} min left at this pace`;
  return `${done} of ${TAKEOVERS} takeovers after ${minutes(seconds())} min, 0 overlaps${left}`;
}
