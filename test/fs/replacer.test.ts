import assert from 'node:assert/strict';
import { lutimesSync } from 'node:fs';
import { mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Replacer } from '../../src/fs/replacer.ts';
import { privateDirectory } from '../../tools/directory.ts';

const unchangedOwner = { uid: -1, gid: -1 };

test('a file and a link replace others, and leave nothing else', async () => {
  await using directory = await privateDirectory('replacer');
  const [a, b] = [join(directory.path, 'a'), join(directory.path, 'b')];
  await writeFile(a, 'old');
  await symlink('old', b);
  const replacer = new Replacer();
  replacer.replace(a, { content: Buffer.from('new'), mode: 0o600, ...unchangedOwner });
  replacer.link(b, 'new');
  replacer.sync();
  assert.equal(await readFile(a, 'utf8'), 'new');
  assert.equal(await readlink(b), 'new');
  assert.deepEqual((await readdir(directory.path)).toSorted(), ['a', 'b']);
});

test('a link replaces a file, and a link left by a dead run is removed', async () => {
  await using directory = await privateDirectory('replacer');
  const [dead, used] = [join(directory.path, '.a.kolla-0a0a0a'), join(directory.path, '.a.kolla-0b0b0b')];
  await writeFile(join(directory.path, 'a'), 'file');
  for (const path of [dead, used]) await symlink('x', path);
  const beforeUs = (performance.timeOrigin - 1) / 1000;
  lutimesSync(dead, beforeUs, beforeUs);
  new Replacer().link(join(directory.path, 'a'), 'to');
  assert.equal(await readlink(join(directory.path, 'a')), 'to');
  assert.deepEqual((await readdir(directory.path)).toSorted(), ['.a.kolla-0b0b0b', 'a']);
});

test('a failed rename leaves no temporary file', async () => {
  await using directory = await privateDirectory('replacer');
  await mkdir(join(directory.path, 'a'));
  const replacer = new Replacer();
  const put = () => replacer.link(join(directory.path, 'a'), 'to');
  assert.throws(put, { code: 'EISDIR' });
  assert.deepEqual(await readdir(directory.path), ['a']);
});
