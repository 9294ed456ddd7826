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
/** Options of a shipper that is stopped while the server accepts no writes. */
const SHORT_GRACE = ['--grace', '300ms'];

/** Faults of a server or of the connection to it. */
export const SERVER_FAULTS: readonly SinkFault[] = [
  { name: '429 for 5 % of the items', strike: whileWriting({ p429: 0.05 }) },
  { name: 'permanently rejected items (400)', strike: whileWriting({ poison: '777 depth=' }) },
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
    name: '503, SIGTERM, restarted',
    firstArgs: SHORT_GRACE,
    async strike({ again, written, site, events }, { sink }) {
      await taken(sink, 1);
      await sink.set(OUTAGE);
      await written();
      // Everything may have been shipped before the outage, but the stop must leave lines.
      await using more = await site.write({ from: events, to: events + 1000 });
      assert.equal(await more.ended, 0, site.log());
      assert.equal(await again('SIGTERM'), 143);
      await sink.set({});
    },
  },
  {
    name: '503, SIGKILL, restarted',
    async strike({ again, written }, { sink }) {
      await taken(sink, 1);
      await sink.set(OUTAGE);
      await written();
      assert.equal(await again('SIGKILL'), 137);
      await sink.set({});
    },
  },
  { name: 'connections cut mid-request', strike: whileWriting({ cutEvery: 3, cutIn: 'request' }) },
  { name: 'connections cut mid-reply', strike: whileWriting({ cutEvery: 3, cutIn: 'reply' }) },
  { name: 'requests over 200 kB rejected (413)', strike: whileWriting({ maxBytes: 200_000 }) },
  {
    name: 'disk above its flood stage, then below it',
    async strike({ written }, { sink }) {
      await taken(sink, 1);
      await sink.set({ floodBlock: true });
      await written();
      await sink.set({});
    },
  },
  {
    name: 'index closed and reopened',
    async strike({ written }, { sink }) {
      await taken(sink, 1);
      await sink.set({ closedIndex: true });
      await written();
      await sink.set({});
    },
  },
  {
    name: 'wrong password, then the right one',
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

/** Resolves when the sink has this many documents. */
export async function taken(sink: BulkSink, count: number): Promise<void> {
  await until(`${count} documents in the sink`, async () => {
    return (await sink.counts()).documents >= count || undefined;
  });
}

/**
 * Resolves when this many more documents have arrived, including duplicates.
 * @param written resolves when the writer is done: then nothing more may come
 */
export async function takenMore(sink: BulkSink, count: number, written?: Promise<void>): Promise<void> {
  let isOver = false;
  // A failure of the writer is reported by those who wait for it.
  const end = () => (isOver = true);
  void written?.then(end, end);
  const before = await arrived(sink);
  await until(`${count} more documents in the sink`, async () => {
    return isOver || (await arrived(sink)) >= before + count || undefined;
  });
}

/** How many documents have arrived, including duplicates. */
export async function arrived(sink: BulkSink): Promise<number> {
  const { documents, conflicts } = await sink.counts();
  return documents + conflicts;
}
