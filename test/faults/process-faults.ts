import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BulkFaults } from '../support/bulk-sink.ts';
import { randomFrom } from '../support/random.ts';
import { until } from '../support/until.ts';
import { CUT_BY_OWNER, POWER_FAILURES } from './power-failure.ts';
import type { Fault, Size } from './run.ts';
import { arrived, taken, takenMore } from './server-faults.ts';
import type { SinkDestination } from './sink.ts';
import { fill, giveRoom, onSmallDisk, takeSpares } from './small-state.ts';

type SinkFault = Fault<SinkDestination>;

/** Delay of acknowledgements: a shipper that is killed within it does not know that its lines were indexed. */
const LATE_MS = 300;
const EVENTS_A_KILL = 2500;
const CLOCK = new URL('jumping-clock.ts', import.meta.url).href;

const RENAMED = { rotation: 'rename', rotateEvery: 6000 } as const;

/** More lines than can be shipped between two kills, written at full speed. */
const flood = (size: Size) => ({ to: Math.max(size.events, size.kills * EVENTS_A_KILL), perSecond: 100_000 });

/** Kills with SIGKILL, as often as the size of the run requires. */
export const KILL_FAULTS: readonly SinkFault[] = [
  { name: 'SIGKILL at random under full load', writing: flood, strike: kills() },
  {
    name: 'interleaved tracebacks of several workers, under SIGKILL',
    writing: (size) => ({ ...flood(size), to: flood(size).to >> 1, workers: 8, tracebackEvery: 5 }),
    strike: kills(),
  },
  { name: 'permanently rejected items (400), under SIGKILL', writing: flood, strike: kills({ poison: '77 depth=' }) },
];

/** Other faults of the shipper and of its state. */
export const PROCESS_FAULTS: readonly SinkFault[] = [
  ...POWER_FAILURES,
  CUT_BY_OWNER,
  {
    // Without tracebacks, because a graceful stop ships a half-written one as it is.
    name: 'repeated SIGTERM',
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
    name: 'torn checkpoint, shipper killed',
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
    name: 'clock jumping by an hour, under SIGKILL',
    // Node runs the same sources, and its clock can be set.
    shippers: { fromSource: true, env: { NODE_OPTIONS: `--import=${CLOCK}` } },
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

/** The disk of the state directory becomes full for a while. Requires a dedicated disk, see canHaveSmallDisk. */
export const DISK_FAULTS: readonly SinkFault[] = [
  {
    name: 'checkpoint disk full, SIGKILL, then space again',
    place: onSmallDisk,
    writing: ({ events }) => ({
      to: events,
      perSecond: 5000,
      tracebackEvery: 20,
      workers: 1,
      ...RENAMED,
    }),
    async strike({ again, site, up, written }, { sink }) {
      await taken(sink, 1000);
      takeSpares(site.state);
      fill(site.state);
      await takenMore(sink, 1000, written());
      assert.equal(await again('SIGKILL'), 137);
      await up();
      await sleep(1000);
      giveRoom(site.state);
    },
  },
  {
    name: 'dead letters on a full disk, then space again',
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

/** Control runs, which must duplicate lines. If no duplicate is found, the harness detects nothing. */
export const CONTROLS: readonly SinkFault[] = [
  { name: 'control: the server ignores ids', writing: flood, strike: killAfterTaken({ ignoreIds: true }) },
  { name: 'control: no checkpoint and no stable source id', writing: flood, strike: killAfterTaken({}) },
];

/** A fault that must duplicate nothing: without a checkpoint, a stable source id suffices. */
export const WITHOUT_CHECKPOINT: SinkFault = {
  name: 'no checkpoint on any start, fixed source id',
  writing: flood,
  args: () => ['--source-id', 'c1'],
  strike: killAfterTaken({}),
};

/** Some shippers die before their first request, some mid-request, some after an unacknowledged success. */
export function kills(faults: BulkFaults = {}): NonNullable<SinkFault['strike']> {
  return async (stage, { sink }) => {
    await sink.set({ ...faults, delayMs: LATE_MS });
    const random = randomFrom(stage.seed);
    for (let nth = 0; nth < stage.kills; nth++) {
      const kind = random();
      if (kind < 0.2) await sleep(random() * 300);
      else await stage.up();
      if (kind > 0.6) await takenMore(sink, 1, stage.written());
      else if (kind > 0.2) await sleep(random() * 900);
      assert.equal(await stage.again('SIGKILL'), 137, stage.site.log());
    }
    await sink.set(faults);
  };
}

/** Kills each shipper with unacknowledged documents in the index and removes its state before the next start. */
function killAfterTaken(faults: BulkFaults): NonNullable<SinkFault['strike']> {
  return async ({ again, site, kills: times }, { sink }) => {
    await sink.set({ ...faults, delayMs: LATE_MS });
    // Counted while no shipper runs: each sends everything again, perhaps before it would be counted.
    let before = 0;
    const meanwhile = async () => {
      await rm(site.state, { recursive: true, force: true });
      before = await arrived(sink);
    };
    for (let nth = 0; nth < times; nth++) {
      await until('documents of this shipper', async () => (await arrived(sink)) > before || undefined);
      assert.equal(await again('SIGKILL', { meanwhile }), 137, site.log());
    }
    await sink.set(faults);
  };
}
