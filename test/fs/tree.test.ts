import assert from 'node:assert/strict';
import { chmod, mkdir, open, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { bytesOf, fileHolds, isSameContent, LargeFile, readContent } from '../../src/fs/content.ts';
import { Directory } from '../../src/fs/tree.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { must } from '../../tools/process.ts';

const MIB = 1024 * 1024;
const image = (text: string) => ({ content: Buffer.from(text), mode: 0o600, uid: -1, gid: -1 });

test('an open directory stays the same if its name is reused', async () => {
  await using directory = await privateDirectory('tree');
  const [held, other] = [join(directory.path, 'held'), join(directory.path, 'other')];
  for (const path of [held, other]) await mkdir(path);
  using handle = Directory.below(directory.path, held);
  await rename(held, `${held}.moved`);
  await symlink(other, held);
  handle.create('a', image('x'));
  assert.deepEqual([await readdir(`${held}.moved`), await readdir(other)], [['a'], []]);
});

test('Directory.below follows no link, and Directory.inside none that leads out of the root', async () => {
  await using directory = await privateDirectory('tree');
  await using outside = await privateDirectory('tree');
  const [out, within] = [join(directory.path, 'out'), join(directory.path, 'within')];
  await mkdir(join(directory.path, 'real'));
  await symlink(outside.path, out);
  await symlink('real', within);
  assert.throws(() => Directory.below(directory.path, out), { code: 'ENOTDIR' });
  assert.throws(() => Directory.below(directory.path, within), { code: 'ENOTDIR' });
  assert.throws(() => Directory.inside(directory.path, join(out, 'a'), 0o755), /is a link to .*, outside of/);
  using made = Directory.inside(directory.path, join(within, 'a'), 0o755);
  assert.deepEqual(await readdir(join(directory.path, 'real')), ['a']);
  assert.equal(made.path, join(directory.path, 'real/a'));
});

test('the mode of an unreadable file is set, and never through a link', async () => {
  await using directory = await privateDirectory('tree');
  const path = join(directory.path, 'a');
  await writeFile(path, 'x');
  await chmod(path, 0o200);
  await symlink('a', join(directory.path, 'link'));
  using handle = Directory.open(directory.path);
  assert.throws(() => handle.setMode('link', 0o777));
  assert.equal((await stat(path)).mode & 0o777, 0o200);
  handle.setMode('a', 0o640);
  assert.equal((await stat(path)).mode & 0o777, 0o640);
});

test('errors have the user-visible path', async () => {
  await using directory = await privateDirectory('tree');
  using handle = Directory.open(directory.path);
  assert.throws(() => handle.readlink('a'), { message: new RegExp(`'${join(directory.path, 'a')}'`) });
});

test('a large file that was replaced is an error, unless it was kept open', async () => {
  await using directory = await privateDirectory('tree');
  const path = join(directory.path, 'a');
  await writeFile(path, Buffer.alloc(2 * MIB, 'a'));
  const [found, kept] = [readContent(path), readContent(path)];
  assert.ok(found instanceof LargeFile && kept instanceof LargeFile);
  using old = kept.keepOpen();
  await writeFile(`${path}.new`, Buffer.alloc(2 * MIB, 'b'));
  await rename(`${path}.new`, path);
  assert.throws(() => bytesOf(found), { code: 'EAGAIN' });
  assert.equal(bytesOf(old)[0], 'a'.charCodeAt(0));
});

test('contents are compared by their bytes, open or not', async () => {
  await using directory = await privateDirectory('tree');
  const path = join(directory.path, 'a');
  const bytes = Buffer.alloc(2 * MIB + 5, 'a');
  await writeFile(path, bytes);
  assert.ok(isSameContent(readContent(path), bytes));
  const file = await open(path, 'r+');
  await file.write('b', 2 * MIB);
  await file.close();
  assert.ok(!isSameContent(readContent(path), bytes));
  assert.deepEqual(await readFile(path), bytesOf(readContent(path)));
});

test('two large files are closed after a comparison, whatever its result', async () => {
  await using directory = await privateDirectory('tree');
  const [path, other] = [join(directory.path, 'a'), join(directory.path, 'b')];
  await writeFile(path, Buffer.alloc(2 * MIB, 'a'));
  const opened = async () => (await readdir('/proc/self/fd')).length;
  for (const letter of ['a', 'b']) {
    await writeFile(other, Buffer.alloc(2 * MIB, letter));
    const before = await opened();
    assert.equal(isSameContent(readContent(path), readContent(other)), letter === 'a');
    assert.equal(await opened(), before);
  }
});

test('a FIFO in place of a file is compared without waiting for its writer', async () => {
  await using directory = await privateDirectory('tree');
  const pipe = join(directory.path, 'pipe');
  await must('mkfifo', [pipe]);
  assert.equal(fileHolds(pipe, Buffer.from('x')), false);
  assert.equal(bytesOf(readContent(pipe)).length, 0);
});
