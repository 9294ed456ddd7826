import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BulkFaults, BulkSink } from '../support/bulk-sink.ts';
import { until } from '../support/until.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fault } from './run.ts';
import type { SinkDestination } from './sink.ts';

type SinkFault = Fault<SinkDestination>;
const OUTAGE: BulkFaults = { status: 503 };
/** Of a shipper that shall be stopped while nothing is taken. */
const SHORT_GRACE = ['--grace', '300ms'];

/** What a server, or the way to it, does wrong. */
export const SERVER_FAULTS: readonly SinkFault[] = [
  { name: '5 % of the items 429', strike: whileWriting({ p429: 0.05 }) },
  { name: 'items that are never taken (400)', strike: whileWriting({ poison: '777 depth=' }) },
  {
    name: '503 for a while',
    async strike({ outageMs }, { sink }) {
      await taken(sink, 1);
      await sink.set(OUTAGE);
      await sleep(outageMs);
      await sink.set({});
    },
  },
  {
    name: '503, SIGTERM, started again',
    firstArgs: SHORT_GRACE,
    async strike({ again, written }, { sink }) {
      await taken(sink, 1);
      await sink.set(OUTAGE);
      await written();
      assert.equal(await again('SIGTERM'), 143);
      await sink.set({});
    },
  },
  {
    name: '503, SIGKILL, started again',
    async strike({ again, written }, { sink }) {
      await taken(sink, 1);
      await sink.set(OUTAGE);
      await written();
      assert.equal(await again('SIGKILL'), 137);
      await sink.set({});
    },
  },
  { name: 'connections cut in mid-request', strike: whileWriting({ cutEvery: 3, cutIn: 'request' }) },
  { name: 'connections cut in mid-reply', strike: whileWriting({ cutEvery: 3, cutIn: 'reply' }) },
  { name: 'requests of over 200 kB refused (413)', strike: whileWriting({ maxBytes: 200_000 }) },
  {
    name: 'the disk above its flood stage, and below again',
    async strike({ written }, { sink }) {
      await taken(sink, 1);
      await sink.set({ floodBlock: true });
      await written();
      await sink.set({});
    },
  },
  {
    name: 'the index closed, and opened again',
    async strike({ written }, { sink }) {
      await taken(sink, 1);
      await sink.set({ closedIndex: true });
      await written();
      await sink.set({});
    },
  },
  {
    name: 'a wrong password, then the right one',
    args: ({ directory }) => ['--user', 'shipper', '--password-file', join(directory, 'password')],
    async before({ directory }, { sink }) {
      await writeFile(join(directory, 'password'), 'wrong\n');
      await sink.set({ login: 'shipper:right' });
    },
    async strike({ site, written }, { sink }) {
      await written();
      assert.equal((await sink.counts()).documents, 0);
      await writeFile(join(site.directory, 'password'), 'right\n');
    },
  },
];

function whileWriting(faults: BulkFaults): NonNullable<SinkFault['strike']> {
  return async ({ written }, { sink }) => {
    await sink.set(faults);
    await written();
  };
}

/** Resolves when so many documents are in. */
export async function taken(sink: BulkSink, count: number): Promise<void> {
  await until(`${count} documents in the sink`, async () => {
    return (await sink.counts()).documents >= count || undefined;
  });
}

/** Resolves when more documents, ones that are in already too, have come than now. */
export async function takenMore(sink: BulkSink, count: number): Promise<void> {
  const come = async () => {
    const { documents, conflicts } = await sink.counts();
    return documents + conflicts;
  };
  const before = await come();
  await until(`${count} more documents in the sink`, async () => {
    return (await come()) >= before + count || undefined;
  });
}
