import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { run } from '../../tools/process.ts';
import { startBulkSink } from '../support/bulk-sink.ts';
import { startHelper } from '../support/helper.ts';
import { until } from '../support/until.ts';

const FILES = 4;
const LINES = 160_000;
const KILLS = 3;
const MOST_BYTES = 16 * 1024 * 1024;
const PADDING = 'x'.repeat(400);

/** The strace arguments that make each fsync take half a second, as on a busy network volume. */
const SLOW = ['strace', '-f', '--seccomp-bpf', '-qq', '-o', '/dev/null', '-e', 'inject=fsync:delay_enter=500000'];

async function canDelay(): Promise<string | undefined> {
  const tried = await run('strace', [...SLOW.slice(1), 'true']).catch(() => undefined);
  return tried?.code === 0 ? undefined : 'no strace that may trace';
}

const line = (n: number) => `2026-11-27 10:00:00.000 7 INFO nova.compute.manager seq=${n} ${PADDING}\n`;

for (const [volume, launcher, skip] of [
  ['a fast volume', [], false],
  ['a volume that syncs slowly', SLOW, (await canDelay()) ?? false],
] as const)
  test(`a kill in full flow sends at most 16 MiB again, with the checkpoint on ${volume}`, { skip }, async (t) => {
    await using directory = await privateDirectory('kill');
    await using sink = await startBulkSink();
    const root = join(directory.path, 'log');
    await mkdir(join(root, 'nova'), { recursive: true });
    const each = LINES / FILES;
    for (let nth = 0; nth < FILES; nth++) {
      const text = Array.from({ length: each }, (_, n) => line(nth * each + n)).join('');
      await writeFile(join(root, 'nova', `nova-${nth}.log`), text);
    }
    const args = ['--root', root, '--state', join(directory.path, 'state'), '--timezone', 'UTC', '--url', sink.url];
    const shipped = (documents: number) =>
      until(`${documents} documents`, async (saw) => {
        const counts = await sink.counts();
        saw(counts);
        return counts.documents >= documents ? counts : undefined;
      });
    let before = 0;
    for (let nth = 1; nth <= KILLS + 1; nth++) {
      const isLast = nth > KILLS;
      await using shipper = await startHelper('kolla-log-ship', args, { launcher, throwAway: true });
      const { conflicts, bytes, documents } = await shipped(isLast ? LINES : (LINES * nth) / (KILLS + 1));
      const again = ((conflicts - before) * bytes) / (documents + conflicts);
      t.diagnostic(`sent again: ${conflicts - before} lines, ${Math.round(again / 2 ** 20)} MiB`);
      assert.ok(again <= MOST_BYTES, `${again} bytes`);
      before = conflicts;
      // Kills its launcher too.
      process.kill(-shipper.pid, 'SIGKILL');
      await shipper.ended;
    }
    const { missing, doubled } = await sink.numbers(LINES);
    assert.deepEqual({ missing, doubled }, { missing: [], doubled: [] });
  });
