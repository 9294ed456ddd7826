import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BulkFaults } from '../support/bulk-sink.ts';
import type { Running } from '../../tools/process.ts';
import { oneOf, randomFrom } from '../support/random.ts';
import { judge, type Row } from './row.ts';
import { sinkDestination } from './sink.ts';
import { openSite, type Shipper, type Site, type Writing } from './site.ts';

/** Lines per second in each log, few enough to read all documents back with one query. */
const PER_SECOND = 150;
/** Events per write, about 4 KB: on a busy machine, a stop during a longer write would split events. */
const AT_ONCE = 10;
/** The range of event numbers in each log. */
const RANGE = 10_000_000;
/** Lines that are always rejected. */
const POISON = '77 depth=';

/** Faults of the server, which are applied in turn. */
const MOODS: readonly BulkFaults[] = [
  {},
  { p429: 0.05 },
  { p429: 0.5 },
  { status: 503 },
  { status: 401 },
  { cutEvery: 2, cutIn: 'request' },
  { cutEvery: 2, cutIn: 'reply' },
  { maxBytes: 100_000 },
  { closedIndex: true },
  { floodBlock: true },
  { delayMs: 1000 },
];

const LOGS: Readonly<Record<string, Partial<Writing>>> = {
  plain: { tracebackEvery: 0, workers: 1 },
  renamed: { rotation: 'rename', rotateEvery: 2500 },
  thrice: { rotation: 'renames', rotateEvery: 3000 },
  truncated: { rotation: 'copytruncate', rotateEvery: 3500 },
};

/** Numbers for the report. */
export interface Happened {
  kills: number;
  stops: number;
  moods: number;
  writersKilled: number;
}

/**
 * Several logs, each rotated differently and with tracebacks; writers and shippers are killed; the server cycles
 * through every fault. Runs for the given time and is then judged as a whole.
 * @param tell called with a progress line
 */
export async function allAtOnce(
  minutes: number,
  seed: number,
  tell: (line: string) => void = () => {},
): Promise<{ row: Row; happened: Happened }> {
  await using to = await sinkDestination(seed);
  await using site = await openSite();
  const happened: Happened = { kills: 0, stops: 0, moods: 0, writersKilled: 0 };
  const untilMs = performance.now() + minutes * 60_000;
  const isOver = () => performance.now() >= untilMs;
  const random = randomFrom(seed);
  const { sink } = to;
  const ship = () => site.ship([...to.args, '--grace', '5s']);

  const moods = async (): Promise<void> => {
    for (; !isOver(); happened.moods++) {
      await sink.set({ ...oneOf(random, MOODS), poison: POISON });
      await sleep(500 + random() * 4500);
    }
    await sink.set({ poison: POISON });
  };
  const shippers = async (): Promise<Shipper> => {
    for (;;) {
      const shipper = await ship();
      await sleep(500 + random() * 8000);
      await shipper.isUp;
      if (isOver()) return shipper;
      const isKill = random() < 0.7;
      process.kill(shipper.pid, isKill ? 'SIGKILL' : 'SIGTERM');
      if (isKill) happened.kills++;
      else happened.stops++;
      await shipper.ended;
      tell(`${happened.kills} kills, ${happened.stops} stops, ${(await sink.counts()).documents} documents`);
    }
  };
  const writing = Object.keys(LOGS).map((name, at) => writers(site, name, at, { isOver, random, happened }));
  const [last] = await Promise.all([shippers(), moods(), ...writing]);
  // A stop within the five-second grace period may leave a backlog for the next start.
  assert.ok([0, 143].includes(await last.stop()), site.log());
  const end = await site.ship([...to.args, '--once']);
  assert.equal(await end.ended, 0, site.log());
  const row = judge('all at once', site.truths(), await to.messages(), await site.deadLetters());
  return { row, happened };
}

interface Course {
  readonly isOver: () => boolean;
  readonly random: () => number;
  readonly happened: Happened;
}

/** Writes one log until the time is up; kills the writer at intervals and starts another. */
async function writers(site: Site, name: string, at: number, { isOver, random, happened }: Course): Promise<void> {
  const usual = {
    wholeEvents: true,
    tracebackEvery: 20,
    workers: 5,
    perSecond: PER_SECOND,
    atOnce: AT_ONCE,
    to: (at + 1) * RANGE,
    ...LOGS[name],
  };
  for (let from = at * RANGE, nth = 0; !isOver(); nth++) {
    const writer: Running = await site.write({ ...usual, from, seed: at * 1000 + nth }, name);
    const lifeMs = 10_000 + random() * 20_000;
    for (let lived = 0; lived < lifeMs && !isOver(); lived += 200) await sleep(200);
    process.kill(writer.pid, 'SIGKILL');
    await writer.ended;
    happened.writersKilled++;
    from = site.truthOf(name).begun;
  }
}
