/**
 * Logs that a former build has shipped in part: `build.json` has its checkpoint after the first half of logs.ts, and the
 * documents of both halves, of commit c37fb66b, the last one of which Node read the lines.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { privateDirectory } from '../../../tools/directory.ts';
import { run } from '../../../tools/process.ts';
import { startBulkSink } from '../../support/bulk-sink.ts';
import { startHelper } from '../../support/helper.ts';
import { AT_ROOT, LOGS, SHIP } from './logs.ts';

/** ID, index, and the start of the SHA-256 of the document's JSON with sorted keys. */
type Row = readonly [id: string, index: string, digest: string];

const FORMER = JSON.parse(await readFile(new URL('build.json', import.meta.url), 'utf8')) as {
  readonly checkpoint: object;
  readonly first: readonly Row[];
  readonly rest: readonly Row[];
};
const UNSHARE = ['--user', '--map-root-user', '--mount', 'sh', '-euc', AT_ROOT, 'sh'];
const { code, stderr: why } = await run('unshare', [...UNSHARE, '/tmp', 'true']);
const skip = code === 0 ? false : `no mounts of its own can be made: ${why.trim()}`;

/** What is shipped of whole files, if the state directory has this checkpoint. */
async function shipped(checkpoint: object | undefined): Promise<readonly Row[]> {
  await using directory = await privateDirectory('former');
  await using sink = await startBulkSink();
  const [root, state] = [join(directory.path, 'logs'), join(directory.path, 'state')];
  for (const [path, parts] of Object.entries(LOGS)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), Buffer.concat(parts));
  }
  if (checkpoint !== undefined) {
    await mkdir(state);
    await writeFile(join(state, 'checkpoint.json'), JSON.stringify(checkpoint));
    await writeFile(join(state, 'checkpoint.of'), `elasticsearch-127.0.0.1-${sink.port}`);
  }
  await using shipper = await startHelper('kolla-log-ship', [...SHIP, '--state', state, '--url', sink.url], {
    launcher: ['unshare', ...UNSHARE, root],
    logFile: join(directory.path, 'said'),
  });
  assert.equal(await shipper.ended, 0, await readFile(join(directory.path, 'said'), 'utf8'));
  const documents = await sink.documents();
  return documents.map(({ _id, _index, _source }) => {
    const sorted = Object.entries(_source as object).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const digest = createHash('sha256')
      .update(JSON.stringify(Object.fromEntries(sorted)))
      .digest('hex');
    return [_id!, _index, digest.slice(0, 12)] as const;
  });
}

const inOrder = (rows: readonly Row[]) => rows.toSorted(([a], [b]) => (a < b ? -1 : 1));

test("a former build's documents: the same IDs, indices and contents", { skip }, async () => {
  assert.deepEqual(inOrder(await shipped(undefined)), inOrder([...FORMER.first, ...FORMER.rest]));
});

test("a former build's checkpoint is continued, without a line that it has shipped", { skip }, async () => {
  assert.deepEqual(inOrder(await shipped(FORMER.checkpoint)), inOrder(FORMER.rest));
});
