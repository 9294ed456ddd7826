import assert from 'node:assert/strict';
import { mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeDirectoriesSync } from '../../src/fs/directory-sync.ts';
import { makeDirectories } from '../../src/fs/directory.ts';
import { privateDirectory } from '../../tools/directory.ts';

test('creates missing directories from the top, and reports them', async () => {
  await using directory = await privateDirectory('directories');
  const path = join(directory.path, 'a/b/c');
  assert.equal(await makeDirectories(path, 0o700), join(directory.path, 'a'));
  assert.equal((await stat(path)).mode & 0o777, 0o700);
  assert.equal(await makeDirectories(path), undefined);
});

test('accepts a link to a directory', async () => {
  await using directory = await privateDirectory('directories');
  await mkdir(join(directory.path, 'real'));
  await symlink('real', join(directory.path, 'link'));
  assert.equal(await makeDirectories(join(directory.path, 'link')), undefined);
  assert.equal(await makeDirectories(join(directory.path, 'link/in')), join(directory.path, 'link/in'));
  assert.deepEqual(await readdir(join(directory.path, 'real')), ['in']);
});

test('reports an obstructing file, at the end of the path and before it', async () => {
  await using directory = await privateDirectory('directories');
  const file = join(directory.path, 'file');
  await writeFile(file, '');
  await assert.rejects(makeDirectories(file), { code: 'EEXIST' });
  await assert.rejects(makeDirectories(join(file, 'in')), { code: 'ENOTDIR' });
});

test('fails where no directory can be created', async () => {
  await assert.rejects(makeDirectories('/proc/kolla-pod/x'), { code: 'ENOENT' });
  assert.throws(() => makeDirectoriesSync('/proc/kolla-pod/x', 0o755), { code: 'ENOENT' });
});

test('makeDirectoriesSync creates missing directories, and keeps the mode of existing ones', async () => {
  await using directory = await privateDirectory('directories');
  const path = join(directory.path, 'a/b');
  makeDirectoriesSync(path, 0o750);
  makeDirectoriesSync(path, 0o700);
  assert.equal((await stat(path)).mode & 0o777, 0o750);
});

test("concurrent calls find each other's directories", async () => {
  await using directory = await privateDirectory('directories');
  const path = join(directory.path, 'a/b/c/d');
  const made = await Promise.all(Array.from({ length: 20 }, () => makeDirectories(path)));
  assert.ok(made.some((first) => first === join(directory.path, 'a')));
  assert.ok((await stat(path)).isDirectory());
});
