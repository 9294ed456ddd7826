import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Discover } from '../../../src/logship/read/discover.ts';
import { inMemory, privateDirectory } from '../../../tools/directory.ts';
import { reading } from './reading.ts';

test('files in new directories are found', async () => {
  await using r = await reading({ patterns: ['*/*.log'] });
  await r.poll();
  mkdirSync(r.path('nova'));
  await r.poll();
  writeFileSync(r.path('nova/nova-api.log'), 'one\n');
  await r.poll();
  await r.poll();
  assert.deepEqual(r.lines, ['one']);
});

test('a missing root is polled until it exists', async () => {
  await using r = await reading({ patterns: ['late/*/*.log'] });
  await r.poll();
  mkdirSync(r.path('late/nova'), { recursive: true });
  writeFileSync(r.path('late/nova/a.log'), 'one\n');
  await r.poll();
  assert.deepEqual(r.lines, ['one']);
});

test('a missing root does not hold up the files of another', async () => {
  await using r = await reading({ patterns: ['late/*.log', 'nova/*.log'] });
  mkdirSync(r.path('nova'));
  writeFileSync(r.path('nova/a.log'), 'one\n');
  await r.poll();
  assert.deepEqual(r.lines, ['one']);
  mkdirSync(r.path('late'));
  writeFileSync(r.path('late/b.log'), 'two\n');
  await r.poll();
  assert.deepEqual(r.lines, ['one', 'two']);
});

test('skips files excluded by name or by path', async () => {
  await using directory = await privateDirectory('discover');
  for (const name of ['nova', 'glance']) mkdirSync(join(directory.path, name));
  for (const name of ['nova/a.log', 'nova/a-access.log', 'glance/b.log']) writeFileSync(join(directory.path, name), '');
  const patterns = [join(directory.path, '*/*.log')];
  const discover = new Discover({
    patterns,
    excludes: ['*-access.log', join(directory.path, 'glance/*')],
    stateDir: undefined,
  });
  assert.deepEqual(discover.look(), [join(directory.path, 'nova/a.log')]);
});

test("the shipper's own state and compressed files are not shipped", async () => {
  await using r = await reading({ patterns: ['**/*'] });
  writeFileSync(r.path('a.log'), 'one\n');
  writeFileSync(r.path('a.log.2.gz'), 'two\n');
  writeFileSync(r.path('.state/dead-letter.jsonl'), 'three\n');
  await r.poll();
  assert.deepEqual(r.lines, ['one']);
});

test('globs are not matched again while no directory changes', async () => {
  await using directory = await privateDirectory('discover');
  writeFileSync(join(directory.path, 'a.log'), '');
  const discover = new Discover({ patterns: [join(directory.path, '*.log')], excludes: [], stateDir: undefined });
  discover.look();
  const files = discover.look();
  assert.equal(discover.look(), files);
  writeFileSync(join(directory.path, 'b.log'), '');
  assert.equal(discover.look().length, 2);
});

test('a matching directory and FIFO are reported once, and block nothing', async () => {
  await using r = await reading();
  mkdirSync(r.path('directory.log'));
  execFileSync('mkfifo', [r.path('pipe.log')]);
  writeFileSync(r.path('a.log'), 'one\n');
  await r.poll();
  await r.poll();
  assert.deepEqual(r.lines, ['one']);
  assert.equal(r.said.filter((text) => text.includes('is not a file')).length, 2);
});

test('an unreadable file is reported once, and read when it becomes readable', async () => {
  await using r = await reading();
  symlinkSync(r.path('a.log'), r.path('a.log'));
  await r.poll();
  await r.poll();
  assert.equal(r.said.filter((text) => text.includes('cannot read')).length, 1);
  rmSync(r.path('a.log'));
  writeFileSync(r.path('a.log'), 'one\n');
  await r.poll();
  assert.deepEqual(r.lines, ['one']);
  assert.match(r.said.at(-1) ?? '', /can be read now/);
});

test('a link is followed, also after its target changes', async () => {
  await using r = await reading();
  writeFileSync(r.path('first'), 'one\n');
  writeFileSync(r.path('second'), 'two\n');
  symlinkSync(r.path('first'), r.path('a.log'));
  await r.poll();
  symlinkSync(r.path('second'), r.path('next'));
  renameSync(r.path('next'), r.path('a.log'));
  await r.poll();
  assert.equal(readlinkSync(r.path('a.log')), r.path('second'));
  assert.deepEqual(r.lines, ['one', 'two']);
});

test('a file on another device is distinguished from one with the same inode', async (t) => {
  await using other = await privateDirectory('device', inMemory() === '/dev/shm' ? '/tmp' : inMemory());
  // Its directory must be one of the shipped ones, because links to it would otherwise not be followed.
  await using r = await reading({ patterns: ['*.log', join(other.path, '*.log')] });
  writeFileSync(r.path('a.log'), 'one\n');
  await r.poll();
  writeFileSync(join(other.path, 'b'), 'two\n');
  renameSync(r.path('a.log'), r.path('a.log.1'));
  symlinkSync(join(other.path, 'b'), r.path('a.log'));
  await r.poll();
  appendFileSync(join(other.path, 'b'), 'three\n');
  await r.poll();
  assert.deepEqual(r.lines, ['one', 'two', 'three']);
  t.diagnostic(`${r.directory} and ${other.path}`);
});

test('five hundred files are followed concurrently', async () => {
  await using r = await reading({ patterns: ['*/*.log'] });
  for (let n = 0; n < 500; n++) {
    if (n % 10 === 0) mkdirSync(r.path(`s${n / 10}`));
    writeFileSync(r.path(`s${Math.floor(n / 10)}/${n}.log`), `${n}\n`);
  }
  await r.poll();
  for (let n = 0; n < 500; n++) appendFileSync(r.path(`s${Math.floor(n / 10)}/${n}.log`), `${n} more\n`);
  await r.poll();
  assert.equal(new Set(r.lines).size, 1000);
  assert.equal(r.lines.length, 1000);
});

test('--from end skips existing content on first start, not later files', async () => {
  await using r = await reading({ from: 'end' });
  writeFileSync(r.path('a.log'), 'old\nunfini');
  await r.poll();
  appendFileSync(r.path('a.log'), 'shed\nnew\n');
  writeFileSync(r.path('b.log'), 'later\n');
  await r.poll();
  await r.restart();
  writeFileSync(r.path('c.log'), 'after a restart\n');
  await r.poll();
  assert.deepEqual(r.lines.toSorted(), ['after a restart', 'later', 'new']);
});

test('a clock set back does not stop discovery', async () => {
  await using r = await reading();
  await r.poll();
  writeFileSync(r.path('a.log'), 'one\n');
  await r.poll(1000);
  // Only file times change: the program's waits use the monotonic clock.
  execFileSync('touch', ['-d', '2001-01-01', r.path('a.log')]);
  appendFileSync(r.path('a.log'), 'two\n');
  execFileSync('touch', ['-d', '2001-01-01', r.path('a.log')]);
  await r.poll(1000);
  assert.deepEqual(r.lines, ['one', 'two']);
});
