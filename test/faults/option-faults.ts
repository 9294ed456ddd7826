import assert from 'node:assert/strict';
import { rm, stat } from 'node:fs/promises';
import { until } from '../support/until.ts';
import { kills } from './process-faults.ts';
import type { Fault } from './run.ts';
import type { SinkDestination } from './sink.ts';
import { logOf, type Site } from './site.ts';

type SinkFault = Fault<SinkDestination>;

/** Punches a hole after each block that is acknowledged, even a small one. */
const RECLAIM = ['--reclaim', 'on', '--reclaim-keep', '4096'];

const TRACEBACKS = { workers: 5, tracebackEvery: 20 };

/** Faults with options that change the data on disk or on the network. */
export const OPTION_FAULTS: readonly SinkFault[] = [
  {
    name: '--reclaim under SIGKILL',
    args: () => RECLAIM,
    writing: ({ events }) => ({ to: events, ...TRACEBACKS }),
    async strike(stage, to) {
      await withHoles(stage.site);
      await stage.written();
      // When the holes appear, everything may be shipped already, but a kill must happen while lines are still to come.
      const { events } = stage;
      await using more = await stage.site.write({ from: events, to: 2 * events, perSecond: 100_000, ...TRACEBACKS });
      await kills()(stage, to);
      assert.equal(await more.ended, 0, stage.site.log());
    },
  },
  {
    name: '--reclaim and copytruncate',
    args: () => RECLAIM,
    writing: ({ events }) => ({
      to: events,
      workers: 1,
      tracebackEvery: 20,
      perSecond: 2000,
      rotation: 'copytruncate',
      rotateEvery: 9000,
    }),
    strike: async ({ site }) => await withHoles(site),
  },
  {
    name: '--reclaim, no checkpoint on any start, fixed source id',
    args: () => [...RECLAIM, '--source-id', 'c1'],
    // Without tracebacks, because the rest of a traceback that a hole has cut would be read as a separate event.
    writing: ({ events }) => ({ to: events, perSecond: 4000 }),
    async strike({ kills: times, site, again }) {
      const meanwhile = () => rm(site.state, { recursive: true, force: true });
      for (let nth = 0; nth < times; nth++) {
        await withHoles(site);
        assert.equal(await again('SIGKILL', { meanwhile }), 137, site.log());
      }
    },
  },
  {
    name: '--gzip and ECS under SIGKILL',
    args: () => ['--gzip', '--schema', 'ecs'],
    writing: ({ events }) => ({ to: events, ...TRACEBACKS }),
    strike: kills({ p429: 0.05 }),
  },
];

/** Resolves when less than three quarters of the log's bytes are allocated on disk. */
async function withHoles(site: Site): Promise<void> {
  await until('holes in the log', async () => {
    const { blocks, size } = await stat(logOf(site.root));
    return blocks * 512 < size * 0.75 ? true : undefined;
  });
}
