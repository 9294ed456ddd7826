import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { lineOf, SyslogFiles } from '../../../src/logship/syslog/files.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { log } from '../said.ts';

async function world({ maxBytes = 1000, mayRotate = (): boolean => true } = {}) {
  const directory = await privateDirectory('syslog');
  const said: string[] = [];
  const files = new SyslogFiles({ root: directory.path, maxBytes, mayRotate, log: log(said) });
  const read = (name: string) => readFileSync(join(directory.path, name), 'utf8');
  const write = (program: string, line: string) => {
    files.add(program, line);
    files.flush();
  };
  const close = async () => {
    files[Symbol.dispose]();
    await directory[Symbol.asyncDispose]();
  };
  return { root: directory.path, files, said, read, write, [Symbol.asyncDispose]: close };
}

test("haproxy's lines are at Kolla's path, those of other programs in a separate directory", async () => {
  await using w = await world();
  w.write('haproxy', 'one');
  w.write('keepalived', 'two');
  w.write('../../etc/x', 'three');
  assert.equal(w.read('haproxy/haproxy.log'), 'one\n');
  assert.equal(w.read('syslog/keepalived.log'), 'two\n');
  assert.equal(w.read('syslog/__.._etc_x.log'), 'three\n');
});

test('a program name too long for a file name loses no line', async () => {
  await using w = await world();
  w.write('a'.repeat(60_000), 'one');
  assert.equal(w.read(`syslog/${'a'.repeat(128)}.log`), 'one\n');
  assert.equal(w.files.lost, 0);
});

test('lines of program names beyond the maximum number share one file', async () => {
  await using w = await world();
  for (let n = 0; n < 40; n++) w.write(`p${n}`, `${n}`);
  assert.equal(w.read('syslog/p31.log'), '31\n');
  assert.equal(existsSync(join(w.root, 'syslog/p32.log')), false);
  assert.match(w.read('syslog/other.log'), /^32\n33\n/);
});

test('a file of the maximum size is renamed, and one old file is kept', async () => {
  await using w = await world({ maxBytes: 10 });
  for (const line of ['first-10-bytes', 'second-10-bytes', 'third']) w.write('haproxy', line);
  assert.equal(w.read('haproxy/haproxy.log'), 'third\n');
  assert.equal(w.read('haproxy/haproxy.log.1'), 'second-10-bytes\n');
});

test('a file keeps growing while the renamed one is still needed', async () => {
  let isFree = false;
  await using w = await world({ maxBytes: 10, mayRotate: () => isFree });
  for (const line of ['first-10-bytes', 'second']) w.write('haproxy', line);
  assert.equal(w.read('haproxy/haproxy.log'), 'first-10-bytes\nsecond\n');
  isFree = true;
  w.write('haproxy', 'third');
  assert.equal(w.read('haproxy/haproxy.log'), 'third\n');
});

test('a file that cannot be renamed keeps growing, which is logged once', async () => {
  await using w = await world({ maxBytes: 10 });
  await mkdir(join(w.root, 'haproxy/haproxy.log.1/x'), { recursive: true });
  const lines = ['first-10-bytes', 'second', 'third', 'fourth'];
  for (const line of lines) w.write('haproxy', line);
  assert.equal(w.read('haproxy/haproxy.log'), `${lines.join('\n')}\n`);
  assert.equal(w.files.lost, 0);
  assert.deepEqual(w.said.length, 1);
  assert.match(w.said[0] ?? '', /haproxy\.log cannot be renamed to \S+\.1 and keeps growing: it is a directory/);
});

test('a line starts on its own line after one that a full disk and an earlier run have truncated', async () => {
  await using w = await world();
  await mkdir(join(w.root, 'haproxy'));
  await writeFile(join(w.root, 'haproxy/haproxy.log'), 'one\nha');
  w.write('haproxy', 'two');
  assert.equal(w.read('haproxy/haproxy.log'), 'one\nha\ntwo\n');
});

// With quadratic backtracking this would take minutes.
test('newlines within a message are fast to escape', () => {
  const message = { facility: 1, severity: 5, timeMs: 0, host: 'h', program: 'p', pid: '1', messageId: 'm', data: '-' };
  const newlines = 1024 * 1024;
  const line = lineOf({ ...message, text: `${'\n'.repeat(newlines)}x\r\n\0` });
  assert.equal(line, `<13>1 1970-01-01T00:00:00.000Z h p 1 m - ${'#012'.repeat(newlines)}x`);
});

test('a file moved by another process gets no more lines', async () => {
  await using w = await world();
  w.write('haproxy', 'one');
  renameSync(join(w.root, 'haproxy/haproxy.log'), join(w.root, 'haproxy/old'));
  w.write('haproxy', 'two');
  assert.equal(w.read('haproxy/old'), 'one\n');
  assert.equal(w.read('haproxy/haproxy.log'), 'two\n');
});

test('lines that cannot be written are counted and logged once, and so is the recovery', async () => {
  await using w = await world();
  await mkdir(join(w.root, 'haproxy/haproxy.log'), { recursive: true });
  w.write('haproxy', 'one');
  w.write('haproxy', 'two');
  assert.equal(w.files.lost, 2);
  renameSync(join(w.root, 'haproxy/haproxy.log'), join(w.root, 'haproxy/directory'));
  w.write('haproxy', 'three');
  assert.equal(w.said.length, 2);
  assert.match(w.said[0] ?? '', /syslog lines are lost.*it is a directory, not a file/);
  assert.match(w.said[1] ?? '', /can be written again; 2 lines were lost/);
});
