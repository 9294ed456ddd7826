import assert from 'node:assert/strict';
import { mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeDirectories } from '../../src/fs/directory.ts';
import { privateDirectory } from '../../tools/directory.ts';

test('creates missing directories from the top, and reports them', async () => {
  await using directory = await privateDirectory('directories');
  const path = join(directory.path, 'a/b/c');
  assert.equal(makeDirectories(path, 0o700), join(directory.path, 'a'));
  assert.equal((await stat(path)).mode & 0o777, 0o700);
  assert.equal(makeDirectories(path), undefined);
});

test('accepts a link to a directory', async () => {
  await using directory = await privateDirectory('directories');
  await mkdir(join(directory.path, 'real'));
  await symlink('real', join(directory.path, 'link'));
  assert.equal(makeDirectories(join(directory.path, 'link')), undefined);
  assert.equal(makeDirectories(join(directory.path, 'link/in')), join(directory.path, 'link/in'));
  assert.deepEqual(await readdir(join(directory.path, 'real')), ['in']);
});

test('reports an obstructing file, at the end of the path and before it', async () => {
  await using directory = await privateDirectory('directories');
  const file = join(directory.path, 'file');
  await writeFile(file, '');
  assert.throws(() => makeDirectories(file), { code: 'EEXIST' });
  assert.throws(() => makeDirectories(join(file, 'in')), { code: 'ENOTDIR' });
});

test('fails where no directory can be created', () => {
  assert.throws(() => makeDirectories('/proc/kolla-pod/x'), { code: 'ENOENT' });
});

test('keeps the mode of existing directories', async () => {
  await using directory = await privateDirectory('directories');
  const path = join(directory.path, 'a/b');
  makeDirectories(path, 0o750);
  makeDirectories(path, 0o700);
  assert.equal((await stat(path)).mode & 0o777, 0o750);
});
