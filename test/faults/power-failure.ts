import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import type { Fault } from './run.ts';
import { logOf, type Site } from './site.ts';

/** The part of a log whose data had not reached the disk. */
interface Lost {
  readonly name: string;
  /** Number of NULs in its place: the file system had enlarged the file already. */
  readonly nuls: number;
  /** The share of the number of events that a service then writes. */
  readonly more: number;
}

const LOST: readonly Lost[] = [
  { name: 'half of the log is gone', nuls: 0, more: 0.1 },
  { name: 'half of the log is gone, and it has grown beyond its old size', nuls: 0, more: 2 },
  { name: 'the end of the log is NULs', nuls: 300_000, more: 0.1 },
];

/** A power failure: the checkpoint was synced, and the log that it describes was not. */
export const POWER_FAILURES = LOST.map(({ name, nuls, more }) => ({
  name: `power failure: ${name}`,
  async strike({ again, site, written, events, seed }) {
    await written();
    await acknowledged(site);
    const to = events + Math.ceil(events * more);
    const meanwhile = async () => {
      cut(logOf(site.root), nuls);
      await using writer = await site.write({ from: events, to, seed, perSecond: 100_000 });
      assert.equal(await writer.ended, 0, site.log());
    };
    assert.equal(await again('SIGKILL', { meanwhile }), 137);
  },
})) satisfies readonly Fault[];

/** The owner of a log cuts it while it is followed. */
export const CUT_BY_OWNER: Fault = {
  name: 'half of the log cut off while it is followed, and grown again',
  async strike({ site, written, events, seed }) {
    await written();
    await acknowledged(site);
    cut(logOf(site.root), 0);
    await using writer = await site.write({ from: events, to: 2 * events, seed, perSecond: 100_000 });
    assert.equal(await writer.ended, 0, site.log());
  },
};

/** Cuts a file to about half of its size, at the end of a line. */
function cut(log: string, nuls: number): void {
  const bytes = readFileSync(log);
  truncateSync(log, bytes.indexOf('\n', bytes.length >> 1) + 1);
  appendFileSync(log, Buffer.alloc(nuls));
}

/** Resolves when the checkpoint covers the whole log. */
async function acknowledged({ state, root }: Site): Promise<void> {
  const { size } = statSync(logOf(root));
  await until('a checkpoint of the whole log', async () => {
    return readFileSync(join(state, 'checkpoint.json'), 'utf8').includes(`"mark":{"offset":${size},`) || undefined;
  });
}
