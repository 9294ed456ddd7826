import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BulkFaults } from '../support/bulk-sink.ts';
import { randomFrom } from '../support/random.ts';
import type { Fault, Size } from './run.ts';
import { taken, takenMore } from './server-faults.ts';
import type { SinkDestination } from './sink.ts';
import { fill, giveRoom, onSmallDisk, takeSpares } from './small-state.ts';

type SinkFault = Fault<SinkDestination>;

/** What is in, is acknowledged that much later: who dies meanwhile does not know it. */
const LATE_MS = 300;
const EVENTS_A_KILL = 2500;
const CLOCK = new URL('jumping-clock.ts', import.meta.url).href;

const RENAMED = { rotation: 'rename', rotateEvery: 6000 } as const;

/** More lines than can be shipped between two kills, as fast as they can be written. */
const flood = (size: Size) => ({ to: Math.max(size.events, size.kills * EVENTS_A_KILL), perSecond: 100_000 });

/** Kills by SIGKILL, as many as the size has. */
export const KILL_FAULTS: readonly SinkFault[] = [
  { name: 'SIGKILL at random in full flow', writing: flood, strike: kills() },
  {
    name: 'workers’ tracebacks between each other, under SIGKILL',
    writing: (size) => ({ ...flood(size), to: flood(size).to >> 1, workers: 8, tracebackEvery: 5 }),
    strike: kills(),
  },
  { name: 'items that are never taken (400), under SIGKILL', writing: flood, strike: kills({ poison: '77 depth=' }) },
];

/** What else happens to the shipper and its state. */
export const PROCESS_FAULTS: readonly SinkFault[] = [
  {
    // Without tracebacks: of one that is being written, a stop ships what is there.
    name: 'SIGTERM again and again',
    writing: ({ events }) => ({ to: events, perSecond: 5000 }),
    async strike(stage) {
      const random = randomFrom(stage.seed);
      for (let nth = 0; nth < stage.kills; nth++) {
        await stage.up();
        await sleep(random() * 400);
        await stage.again('SIGTERM');
      }
    },
  },
  {
    name: 'the checkpoint torn, and the shipper killed',
    async strike({ again, site, written }, { sink }) {
      await taken(sink, 1);
      await written();
      const file = join(site.state, 'checkpoint.json');
      const meanwhile = async () => {
        const text = await readFile(file, 'utf8');
        await writeFile(file, text.slice(0, text.length >> 1));
      };
      assert.equal(await again('SIGKILL', { meanwhile }), 137);
    },
  },
  {
    name: 'the clock an hour back and forth, over and over, and SIGKILL',
    env: { NODE_OPTIONS: `--import=${CLOCK}` },
    writing: ({ events }) => ({
      to: events,
      perSecond: 4000,
      tracebackEvery: 9,
      workers: 1,
      ...RENAMED,
    }),
    async strike({ again }, { sink }) {
      await taken(sink, 5000);
      await again('SIGKILL');
      await taken(sink, 10_000);
    },
  },
];

/** The state directory's disk is full for a while; needs a disk of one's own, see canHaveSmallDisk. */
export const DISK_FAULTS: readonly SinkFault[] = [
  {
    name: 'the checkpoint’s disk full, SIGKILL, and room again',
    place: onSmallDisk,
    writing: ({ events }) => ({
      to: events,
      perSecond: 5000,
      tracebackEvery: 20,
      workers: 1,
      ...RENAMED,
    }),
    async strike({ again, site, up }, { sink }) {
      await taken(sink, 1000);
      takeSpares(site.state);
      fill(site.state);
      await takenMore(sink, 1000);
      assert.equal(await again('SIGKILL'), 137);
      await up();
      await sleep(1000);
      giveRoom(site.state);
    },
  },
  {
    name: 'dead letters on a full disk, and room again',
    place: onSmallDisk,
    writing: ({ events }) => ({ to: events, perSecond: 5000 }),
    async strike({ site, written }, { sink }) {
      await taken(sink, 1000);
      fill(site.state);
      await sink.set({ poison: '77 depth=' });
      await written();
      giveRoom(site.state);
    },
  },
];

/** Runs that must double lines; one that finds none has found nothing out. */
export const CONTROLS: readonly SinkFault[] = [
  { name: 'control: the server ignores ids', writing: flood, strike: killAfterTaken({ ignoreIds: true }) },
  { name: 'control: no checkpoint, and no source id that stays', writing: flood, strike: killAfterTaken({}) },
];

/** No checkpoint is no doubled line where the source id stays. */
export const WITHOUT_CHECKPOINT: SinkFault = {
  name: 'no checkpoint at any start, the source id given',
  writing: flood,
  args: () => ['--source-id', 'c1'],
  strike: killAfterTaken({}),
};

/** Some die before their first request, some in full flow, some when what they sent is in and they do not know it yet. */
export function kills(faults: BulkFaults = {}): NonNullable<SinkFault['strike']> {
  return async (stage, { sink }) => {
    await sink.set({ ...faults, delayMs: LATE_MS });
    const random = randomFrom(stage.seed);
    for (let nth = 0; nth < stage.kills; nth++) {
      const kind = random();
      if (kind < 0.2) await sleep(random() * 300);
      else await stage.up();
      if (kind > 0.6) await takenMore(sink, 1);
      else if (kind > 0.2) await sleep(random() * 900);
      assert.equal(await stage.again('SIGKILL'), 137, stage.site.log());
    }
    await sink.set(faults);
  };
}

/** Each dies with documents in that it does not know to be in, and its state is gone before the next. */
function killAfterTaken(faults: BulkFaults): NonNullable<SinkFault['strike']> {
  return async ({ again, site, kills: times }, { sink }) => {
    await sink.set({ ...faults, delayMs: LATE_MS });
    const meanwhile = () => rm(site.state, { recursive: true, force: true });
    for (let nth = 0; nth < times; nth++) {
      await takenMore(sink, 1);
      assert.equal(await again('SIGKILL', { meanwhile }), 137, site.log());
    }
    await sink.set(faults);
  };
}
