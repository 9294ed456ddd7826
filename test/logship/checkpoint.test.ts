import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { CheckpointWriter, loadCheckpoint, openState } from '../../src/logship/checkpoint.ts';
import { privateFolder } from '../support/folder.ts';
import { log } from './reading.ts';

const SAVED = {
  generation: { id: 'g', path: '/a.log', dev: 1, ino: 2, head: { length: 3, hash: 'h' }, nth: 0, firstSeenMs: 4 },
  mark: { offset: 5, skipping: false, timeMs: 6 },
};

test('what was saved is loaded', async () => {
  await using folder = await privateFolder('checkpoint');
  await new CheckpointWriter(folder.path, log()).save(() => [SAVED]);
  assert.deepEqual(await loadCheckpoint(folder.path, log()), [SAVED]);
});

test('it is readable by nobody else', async () => {
  await using folder = await privateFolder('checkpoint');
  await new CheckpointWriter(folder.path, log()).save(() => []);
  assert.equal((await stat(join(folder.path, 'checkpoint.json'))).mode & 0o777, 0o600);
});

for (const damaged of [
  '',
  '{"version":1,"files":[',
  '{"version":2,"files":[]}',
  '{"version":1,"files":[{"mark":1}]}',
]) {
  test(`a damaged checkpoint '${damaged}' is set aside and said`, async () => {
    await using folder = await privateFolder('checkpoint');
    await writeFile(join(folder.path, 'checkpoint.json'), damaged);
    const said: string[] = [];
    assert.deepEqual(await loadCheckpoint(folder.path, log(said)), []);
    assert.match(said[0] ?? '', /is damaged/);
    assert.equal(await readFile(join(folder.path, 'checkpoint.json.unreadable'), 'utf8'), damaged);
  });
}

test('a folder that is gone stops nothing, and is said once', async () => {
  await using folder = await privateFolder('checkpoint');
  const state = join(folder.path, 'state');
  await mkdir(state);
  const said: string[] = [];
  const writer = new CheckpointWriter(state, log(said));
  await rm(state, { recursive: true });
  assert.equal(await writer.save(() => [SAVED]), false);
  assert.equal(await writer.save(() => [SAVED]), false);
  assert.equal(said.length, 1);
  await mkdir(state);
  assert.equal(await writer.save(() => [SAVED]), true);
  assert.deepEqual(await loadCheckpoint(state, log()), [SAVED]);
});

test('a source has one id for good, unless it is given', async () => {
  await using folder = await privateFolder('checkpoint');
  const state = join(folder.path, 'state');
  const { source } = await openState(state, undefined);
  assert.match(source, /^[\w-]{12}$/);
  assert.deepEqual(await openState(state, undefined), { source });
  assert.deepEqual(await openState(state, 'given'), { source: 'given' });
  assert.deepEqual(await readdir(state), ['source-id']);
});
