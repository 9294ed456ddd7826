import assert from 'node:assert/strict';
import { stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileHolds, readContent } from '../../src/fs/content.ts';
import { Directory } from '../../src/fs/tree.ts';
import { privateDirectory } from '../../tools/directory.ts';

const MIB = 1024 * 1024;

test('a file of more than 2 GiB is copied and compared in bounded memory', async () => {
  await using directory = await privateDirectory('tree');
  const [source, size] = [join(directory.path, 'source'), 2049 * MIB];
  await writeFile(source, 'first');
  await truncate(source, size);
  const before = process.memoryUsage().rss;
  const content = readContent(source);
  using handle = Directory.open(directory.path);
  handle.create('copy', { content, mode: 0o600, uid: -1, gid: -1 });
  assert.equal((await stat(join(directory.path, 'copy'))).size, size);
  assert.ok(fileHolds(join(directory.path, 'copy'), content));
  const grown = process.memoryUsage().rss - before;
  assert.ok(grown < 100 * MIB, `${Math.round(grown / MIB)} MiB`);
});
