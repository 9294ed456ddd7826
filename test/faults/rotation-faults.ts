import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BANNERS } from './numbered.ts';
import { kills } from './process-faults.ts';
import type { Rotation } from './rotations.ts';
import type { Fault } from './run.ts';
import { taken } from './server-faults.ts';
import type { SinkDestination } from './sink.ts';

type SinkFault = Fault<SinkDestination>;

/** By one worker: what a rotation comes between goes on in the new file's first line. */
const TRACEBACKS = { tracebackEvery: 20, workers: 1 };

/** Each kind of rotation while lines are written and shipped as fast as they come. */
export const ROTATION_FAULTS: readonly SinkFault[] = [
  flow('rename', 'renamed, again and again'),
  flow('renames', 'renamed three times at once'),
  flow('copytruncate', 'copied and truncated'),
  flow('regrow', 'truncated, and longer than before at once'),
  { ...flow('recreate', 'removed and written anew'), writing: slowly('recreate') },
  compressing('gzip', 'renamed, the one before compressed'),
  compressing('kolla', 'as Kolla’s cron: copied, truncated, the one before compressed'),
  alike('rename', 'renamed, each file with the same first line, under SIGKILL', 'short', kills()),
  alike('copytruncate', 'copied and truncated, each file with the same first line, under SIGKILL', 'short', kills()),
  alike('rename', 'renamed, each file with the same first 900 bytes', 'long'),
  alike('copytruncate', 'copied and truncated, each file with the same first 900 bytes', 'long'),
  away('rename', 'renamed while the shipper was away'),
  away('copytruncate', 'copied and truncated while the shipper was away'),
  {
    ...flow('rename', 'renamed while the shipper was away, which had sent nothing yet'),
    async strike({ again, written }) {
      assert.equal(await again('SIGKILL', { meanwhile: written }), 137);
    },
  },
  {
    ...flow('copytruncate', 'copied and truncated while the server was away and the shipper was killed'),
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

/** A file that is compressed is out of reach: it lives until what is in it was shipped. */
function compressing(rotation: Rotation, name: string): SinkFault {
  const { writing, ...others } = flow(rotation, name);
  return { ...others, name, writing: (size, to) => ({ ...writing?.(size, to), compressesBehind: to.sink.url }) };
}

/** A file that came and went before it could be polled is no fault: each lives two seconds. */
function slowly(rotation: Rotation): NonNullable<SinkFault['writing']> {
  return ({ events }) => ({ to: events, rotation, perSecond: 3500, rotateEvery: 7000, ...TRACEBACKS });
}

/** Contents of one path that begin alike. */
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
