import assert from 'node:assert/strict';
import { mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFoldersSync } from '../../src/fs/folder-sync.ts';
import { makeFolders } from '../../src/fs/folder.ts';
import { privateFolder } from '../../tools/folder.ts';

test('what is missing is made from the top, and told', async () => {
  await using folder = await privateFolder('folders');
  const path = join(folder.path, 'a/b/c');
  assert.equal(await makeFolders(path, 0o700), join(folder.path, 'a'));
  assert.equal((await stat(path)).mode & 0o777, 0o700);
  assert.equal(await makeFolders(path), undefined);
});

test('a link to a folder is one', async () => {
  await using folder = await privateFolder('folders');
  await mkdir(join(folder.path, 'real'));
  await symlink('real', join(folder.path, 'link'));
  assert.equal(await makeFolders(join(folder.path, 'link')), undefined);
  assert.equal(await makeFolders(join(folder.path, 'link/in')), join(folder.path, 'link/in'));
  assert.deepEqual(await readdir(join(folder.path, 'real')), ['in']);
});

test('a file in the way is told, at the end and before it', async () => {
  await using folder = await privateFolder('folders');
  const file = join(folder.path, 'file');
  await writeFile(file, '');
  await assert.rejects(makeFolders(file), { code: 'EEXIST' });
  await assert.rejects(makeFolders(join(file, 'in')), { code: 'ENOTDIR' });
});

test('where no folder can be made, it ends', async () => {
  await assert.rejects(makeFolders('/proc/kolla-pod/x'), { code: 'ENOENT' });
  assert.throws(() => makeFoldersSync('/proc/kolla-pod/x', 0o755), { code: 'ENOENT' });
});

test('at once, what is missing is made, and what is there is left', async () => {
  await using folder = await privateFolder('folders');
  const path = join(folder.path, 'a/b');
  makeFoldersSync(path, 0o750);
  makeFoldersSync(path, 0o700);
  assert.equal((await stat(path)).mode & 0o777, 0o750);
});

test('many at once find what the others have made', async () => {
  await using folder = await privateFolder('folders');
  const path = join(folder.path, 'a/b/c/d');
  const made = await Promise.all(Array.from({ length: 20 }, () => makeFolders(path)));
  assert.ok(made.some((first) => first === join(folder.path, 'a')));
  assert.ok((await stat(path)).isDirectory());
});
