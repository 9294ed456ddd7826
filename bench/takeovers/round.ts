import { setTimeout as sleep } from 'node:timers/promises';
import type { GaleraNode } from '../../test/cluster/galera.ts';
import { oneOf } from '../../test/support/random.ts';
import { waitingFor } from '../../test/support/open-waits.ts';
import { until } from '../../test/support/until.ts';
import { isGone, type Contender } from './contender.ts';
import { stalledEvidence } from './evidence.ts';
import { RELEASE, type Fault, type Fix } from './faults.ts';
import { traceOf } from './journal.ts';
import { judge, Wrong } from './judge.ts';
import { holderOf, type Lane } from './lane.ts';
import { signal, treeOf } from './process-tree.ts';
import type { Tally } from './tally.ts';

/** Maximum number of rounds, for a machine too slow for the leases. */
const MOST_ROUNDS = 10;
/** Maximum delay of a fault, which comes at a random time of a migration. */
const LATEST_MS = 300;

export interface Game {
  readonly random: () => number;
  readonly tally: Tally;
}

/** Injects a fault, then verifies that a migrator finishes once it is gone: the successor runs to its end. */
export async function play(lanes: readonly Lane[], fault: Fault, game: Game): Promise<void> {
  for (const each of fault === RELEASE ? [RELEASE] : [fault, RELEASE]) {
    let left = lanes;
    for (let round = 0; left.length > 0; round++) {
      if (round === MOST_ROUNDS)
        throw new Wrong(`${left[0]!.database}: each holder lost its lease before ${each.name}`);
      left = await playRound(left, each, game);
    }
  }
}

/**
 * One fault, injected at the same time into all of these lanes: into each holder, or into a node they all use. Resolves
 * once all have been taken over, the fault is undone, the fenced ones have exited, and all rows are judged.
 * @returns the lanes whose holder lost its lease before the fault: not takeovers of this kind, but judged like them
 * @throws Wrong with the diagnostics
 */
async function playRound(lanes: readonly Lane[], fault: Fault, game: Game): Promise<Lane[]> {
  const { random, tally } = game;
  const node = fault.strikeNode === undefined ? undefined : oneOf(random, lanes[0]!.arena.galera.nodes);
  const holders = await holdersAt(lanes, node, random);
  for (const holder of holders) holder.family();
  const struckAt = performance.now();
  const fixes =
    node === undefined
      ? await Promise.all(lanes.map((lane, i) => fault.strike!({ lane, holder: holders[i]!, random })))
      : [await strikeNode(lanes, node, fault)];
  const successors = await Promise.all(lanes.map((lane, i) => successorOf(lane, holders[i]!, fault)));
  const atTakeover = await Promise.all(holders.map((holder, i) => trace(lanes[i]!, holder)));
  for (const fix of fixes) await fix();
  const spoiled: Lane[] = [];
  await Promise.all(
    lanes.map(async (lane, i) => {
      const [holder, successor] = [holders[i]!, successors[i]!];
      const what = `all of ${holder.name} to end after ${fault.name}`;
      await waitingFor(
        what,
        until(`the processes of ${holder.name} to be gone`, () => isGone(holder) || undefined),
        () => stalledEvidence(lane, holder),
      );
      const seen = { fault, holder, successor, atTakeover: atTakeover[i]!, now: await trace(lane, holder) };
      const { rows, isTakeover } = await judge(lane, seen);
      tally.count(isTakeover ? fault.name : undefined, successor.startedAt! - struckAt, rows);
      if (!isTakeover) spoiled.push(lane);
    }),
  );
  // Running on all nodes again, including the faulty one.
  await Promise.all(lanes.map((lane) => steadyHolder(lane)));
  if (node !== undefined) for (const lane of lanes) lane.bringHome(node);
  return spoiled;
}

async function strikeNode(lanes: readonly Lane[], node: GaleraNode, fault: Fault): Promise<Fix> {
  const { galera, struck } = lanes[0]!.arena;
  struck.add(node);
  const fix = await fault.strikeNode!(node);
  return async () => {
    await fix();
    await galera.waitWhole();
    struck.delete(node);
  };
}

/**
 * The holder of each lane, at a random moment of its migration; with a node, the lock is held there. While one lane moves
 * to the node, the holder of another may lose its lease on a busy machine; the fault would then hit no holder.
 */
async function holdersAt(
  lanes: readonly Lane[],
  node: GaleraNode | undefined,
  random: () => number,
): Promise<Contender[]> {
  for (;;) {
    if (node !== undefined) await Promise.all(lanes.map((lane) => moveTo(lane, node)));
    await sleep(random() * LATEST_MS);
    const holders = await Promise.all(lanes.map((lane) => steadyHolder(lane)));
    if (node === undefined || holders.every((holder) => isAt(holder, node))) return holders;
  }
}

/** A migration begins at the node of its lock's session. */
function isAt({ ports }: Contender, node: GaleraNode): boolean {
  const [first] = ports;
  return first === node.port;
}

/** The current holder, once its migration writes through all usable nodes. */
async function steadyHolder(lane: Lane): Promise<Contender> {
  const what = `a migrator for ${lane.database} through all nodes`;
  await lane.changes.until(
    what,
    () => holderOf(lane) !== undefined,
    () => stalledEvidence(lane),
  );
  return holderOf(lane)!;
}

async function successorOf(lane: Lane, holder: Contender, fault: Fault): Promise<Contender> {
  const next = () => lane.began[lane.began.indexOf(holder) + 1];
  const what = `a migrator to take over from ${holder.name} in ${lane.database} after ${fault.name}`;
  await lane.changes.until(
    what,
    () => next() !== undefined,
    () => stalledEvidence(lane),
  );
  return next()!;
}

function trace(lane: Lane, holder: Contender): Promise<string> {
  return traceOf(lane.arena.sound()[0]!, lane.database, holder.name);
}

/** Until the holder uses that node: contenders of other nodes are held back while the lock is released. */
async function moveTo(lane: Lane, node: GaleraNode): Promise<void> {
  for (;;) {
    const holder = await steadyHolder(lane);
    if (isAt(holder, node)) return;
    const others = lane.contenders().filter((one) => one !== holder && one.plan.home !== node);
    const held = others.flatMap(({ running }) => treeOf(running.pid));
    for (const seen of held) signal(seen, 'SIGSTOP');
    try {
      await lane.release(holder);
      const next = () => lane.began.at(-1) !== holder;
      await lane.changes.until(`one at ${node.name}`, next, () => stalledEvidence(lane));
    } finally {
      for (const seen of held) signal(seen, 'SIGCONT');
    }
  }
}
