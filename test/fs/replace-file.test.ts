import assert from 'node:assert/strict';
import { chmod, chown, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { replaceFile } from '../../src/fs/replace-file.ts';
import { Directory } from '../../src/fs/tree.ts';
import type { FileImage } from '../../src/fs/write-file.ts';
import { writeInPlace } from '../../src/fs/write-in-place.ts';
import { canGiveFilesAway } from '../../tools/capability.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { run } from '../../tools/process.ts';

const skip = (await canGiveFilesAway()) ?? false;
const OTHER = 65_534;

const image = (text: string, mode = 0o600) => ({ content: Buffer.from(text), mode, uid: -1, gid: -1 });

async function inPlace(path: string, content: FileImage): Promise<void> {
  using directory = Directory.open(dirname(path));
  writeInPlace(directory, basename(path), content);
}

test('replaces a file and its mode, and leaves nothing else', async () => {
  await using directory = await privateDirectory('replace');
  const path = join(directory.path, 'a.conf');
  await writeFile(path, 'old', { mode: 0o644 });
  const { ino } = await stat(path);
  await replaceFile(path, image('new'));
  assert.equal(await readFile(path, 'utf8'), 'new');
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.notEqual((await stat(path)).ino, ino);
  assert.deepEqual(await readdir(directory.path), ['a.conf']);
});

test("removes a dead run's temporary file, older than this process; keeps a younger one, which may be in use", async () => {
  await using directory = await privateDirectory('replace');
  const [dead, used, other] = ['.a.kolla-0a0a0a', '.a.kolla-0b0b0b', '.b.kolla-0a0a0a'];
  for (const name of [dead, used, other]) await writeFile(join(directory.path, name), '');
  const beforeUs = (performance.timeOrigin - 1) / 1000;
  for (const name of [dead, other]) await utimes(join(directory.path, name), beforeUs, beforeUs);
  await replaceFile(join(directory.path, 'a'), image('a'));
  assert.deepEqual((await readdir(directory.path)).toSorted(), [used, other, 'a'].toSorted());
});

test('replaces a file with a name of 255 bytes', async () => {
  await using directory = await privateDirectory('replace');
  const path = join(directory.path, 'ä'.repeat(127));
  await replaceFile(path, image('x'));
  assert.equal(await readFile(path, 'utf8'), 'x');
});

test('a failed rename leaves no temporary file', async () => {
  await using directory = await privateDirectory('replace');
  await mkdir(join(directory.path, 'a', 'full'), { recursive: true });
  await assert.rejects(replaceFile(join(directory.path, 'a'), image('x')), { code: 'EISDIR' });
  assert.deepEqual(await readdir(directory.path), ['a']);
});

test('a file written in place keeps its inode and is truncated', async () => {
  await using directory = await privateDirectory('replace');
  const path = join(directory.path, 'a');
  await writeFile(path, 'a long old one', { mode: 0o644 });
  const { ino } = await stat(path);
  await inPlace(path, image('new'));
  assert.equal(await readFile(path, 'utf8'), 'new');
  assert.equal((await stat(path)).ino, ino);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  await inPlace(path, image('', 0o640));
  assert.equal((await stat(path)).size, 0);
  assert.equal((await stat(path)).mode & 0o777, 0o640);
});

test('a read-only file is written in place by its owner', { skip }, async () => {
  await using directory = await privateDirectory('replace');
  const path = join(directory.path, 'sudoers');
  await writeFile(path, 'old', { mode: 0o440 });
  await chown(path, OTHER, OTHER);
  await asOther(directory.path, async () => {
    await inPlace(path, image('newer', 0o440));
    assert.equal(await readFile(path, 'utf8'), 'newer');
    assert.equal((await stat(path)).mode & 0o7777, 0o440);
  });
});

test('a world-writable file of another user is written in place, and keeps owner and mode', { skip }, async () => {
  await using directory = await privateDirectory('replace');
  const path = join(directory.path, 'a');
  await writeFile(path, 'a long old one');
  await chmod(path, 0o666);
  const { uid, gid } = await stat(path);
  await asOther(directory.path, () => inPlace(path, { content: Buffer.from('new'), mode: 0o666, uid, gid }));
  assert.equal(await readFile(path, 'utf8'), 'new');
  assert.equal((await stat(path)).mode & 0o7777, 0o666);
});

test('an unwritable file of another user is unchanged', { skip }, async () => {
  await using directory = await privateDirectory('replace');
  const path = join(directory.path, 'a');
  await writeFile(path, 'old', { mode: 0o444 });
  await asOther(directory.path, async () => {
    await assert.rejects(inPlace(path, image('new', 0o444)), { code: 'EACCES', syscall: 'open' });
  });
  assert.equal(await readFile(path, 'utf8'), 'old');
});

/** Runs the work as an unprivileged user who has access to the directory. */
async function asOther(directory: string, work: () => Promise<void>): Promise<void> {
  await chmod(directory, 0o755);
  process.seteuid!(OTHER);
  try {
    await work();
  } finally {
    process.seteuid!(0);
  }
}

/** Replaces the file in argv[1] in place. */
const IN_PLACE = `
  import { basename, dirname } from 'node:path';
  import { Directory } from '${new URL('../../src/fs/tree.ts', import.meta.url).href}';
  import { writeInPlace } from '${new URL('../../src/fs/write-in-place.ts', import.meta.url).href}';
  const content = Buffer.alloc(4000, 'new ');
  using directory = Directory.open(dirname(process.argv[1]));
  writeInPlace(directory, basename(process.argv[1]), { content, mode: 0o600, uid: -1, gid: -1 });
`;

test('in place, a file for which there is no room keeps its content', async () => {
  await using directory = await privateDirectory('replace');
  const path = join(directory.path, 'a.conf');
  const old = 'old '.repeat(100);
  await writeFile(path, old, { mode: 0o600 });
  // Like a full disk, a limit of the file size fails a write after its first part.
  const script = 'ulimit -f 1; exec "$0" --input-type=module --eval "$1" "$2"';
  const { code, stderr } = await run('/bin/bash', ['--norc', '-c', script, process.execPath, IN_PLACE, path]);
  assert.equal(code, 1, stderr);
  assert.match(stderr, /EFBIG/);
  assert.equal(await readFile(path, 'utf8'), old);
});
