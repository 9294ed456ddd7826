import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BANNERS } from './numbered.ts';
import { kills } from './process-faults.ts';
import type { Rotation } from './rotations.ts';
import type { Fault } from './run.ts';
import { taken } from './server-faults.ts';
import type { SinkDestination } from './sink.ts';

type SinkFault = Fault<SinkDestination>;

/** There is one worker, so an event that a rotation interrupts continues in the first line of the new file. */
const TRACEBACKS = { tracebackEvery: 20, workers: 1 };

/** Every kind of rotation while lines are written and shipped at full speed. */
export const ROTATION_FAULTS: readonly SinkFault[] = [
  flow('rename', 'repeated renames'),
  flow('renames', 'three renames at once'),
  flow('copytruncate', 'copytruncate'),
  flow('regrow', 'truncated and regrown beyond its old size at once'),
  compressing('recreate', 'removed and re-created'),
  compressing('gzip', 'renamed, previous file compressed'),
  compressing('kolla', "Kolla's cron: copytruncate, previous file compressed"),
  alike('rename', 'renamed, files with the same first line, under SIGKILL', 'short', kills()),
  alike('copytruncate', 'copytruncate, files with the same first line, under SIGKILL', 'short', kills()),
  alike('rename', 'renamed, files with the same first 900 bytes', 'long'),
  alike('copytruncate', 'copytruncate, files with the same first 900 bytes', 'long'),
  away('rename', 'renamed while the shipper was down'),
  away('copytruncate', 'copytruncate while the shipper was down'),
  {
    ...flow('rename', 'renamed while a shipper that had sent nothing yet was down'),
    async strike({ again, written }) {
      assert.equal(await again('SIGKILL', { meanwhile: written }), 137);
    },
  },
  {
    ...flow('copytruncate', 'copytruncate while the server was down and the shipper was killed'),
    async strike({ again, written }, { sink }) {
      await taken(sink, 1);
      await sink.set({ status: 503 });
      await written();
      assert.equal(await again('SIGKILL'), 137);
      await sink.set({});
    },
  },
];

function flow(rotation: Rotation, name: string): SinkFault {
  return {
    name,
    writing: ({ events }) => ({ to: events, rotation, perSecond: 5000, rotateEvery: 4000, ...TRACEBACKS }),
    strike: async ({ written }) => await written(),
  };
}

/**
 * A compressed file cannot be read any more: it is compressed only after its content was shipped. A removed one cannot be opened
 * any more: it is removed only after its first event was shipped.
 */
function compressing(rotation: Rotation, name: string): SinkFault {
  const { writing, ...others } = flow(rotation, name);
  return { ...others, name, writing: (size, to) => ({ ...writing?.(size, to), compressesBehind: to.sink.url }) };
}

/** Files at one path that start alike. */
function alike(
  rotation: Rotation,
  name: string,
  banner: keyof typeof BANNERS,
  strike?: NonNullable<SinkFault['strike']>,
): SinkFault {
  const { writing } = flow(rotation, name);
  return { name, writing: (size, to) => ({ ...writing?.(size, to), banner }), ...(strike && { strike }) };
}

/** Several rotations between a kill and the next start. */
function away(rotation: Rotation, name: string): SinkFault {
  return {
    ...flow(rotation, name),
    async strike({ again, written }, { sink }) {
      await taken(sink, 1000);
      await sleep(300);
      assert.equal(await again('SIGKILL', { meanwhile: written }), 137);
    },
  };
}
