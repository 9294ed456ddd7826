import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { holdDirectory, StateDirectory } from '../../../src/logship/state/held-directory.ts';
import { CheckpointWriter, loadCheckpoint } from '../../../src/logship/state/checkpoint.ts';
import { openState } from '../../../src/logship/state/directory.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { log } from '../read/reading.ts';

const NAME = 'checkpoint.json';
const SAVED = {
  generation: {
    path: '/a.log',
    dev: 1,
    ino: 2,
    firstSeenMs: 4,
    head: Buffer.from('h\xe9ad\n', 'latin1'),
    rivals: [{ head: Buffer.from('he'), times: 2 }],
    digestFrom: 3,
  },
  mark: { offset: 5, skipping: false, timeMs: 6 },
  cuts: [
    { start: 5, at: 7 },
    { start: 6, at: 7, onto: { generation: 'g', to: 8 } },
  ],
  modifiedMs: 9.5,
  size: 10,
  trail: {
    points: [
      { mark: { offset: 2, skipping: true, timeMs: 6 }, proof: { offset: 3, digest: 'a' } },
      { mark: { offset: 5, skipping: false, timeMs: 6 }, proof: { offset: 5, digest: 'b' } },
    ],
    rungs: ['c', ''],
  },
};

test('a saved checkpoint is loaded', async () => {
  await using directory = await privateDirectory('checkpoint');
  await new CheckpointWriter(new StateDirectory(directory.path), log(), NAME).save(() => [SAVED]);
  const loaded = await loadCheckpoint(new StateDirectory(directory.path), log(), NAME);
  assert.deepEqual([loaded.files, loaded.isFirstStart], [[SAVED], false]);
});

test('other users cannot read the checkpoint', async () => {
  await using directory = await privateDirectory('checkpoint');
  await new CheckpointWriter(new StateDirectory(directory.path), log(), NAME).save(() => []);
  assert.equal((await stat(join(directory.path, 'checkpoint.json'))).mode & 0o777, 0o600);
});

for (const [damaged, how] of [
  ['', 'damaged'],
  ['\0\0\0\0', 'damaged'],
  ['{"version":2,"files":[', 'damaged'],
  ['{"version":3,"files":[]}', 'of another version'],
  ['{"version":2,"files":[{"mark":1}]}', 'damaged'],
] as const) {
  test(`a damaged checkpoint ${JSON.stringify(damaged)} is renamed and reported`, async () => {
    await using directory = await privateDirectory('checkpoint');
    await writeFile(join(directory.path, 'checkpoint.json'), damaged);
    const said: string[] = [];
    assert.deepEqual((await loadCheckpoint(new StateDirectory(directory.path), log(said), NAME)).files, []);
    assert.match(said[0] ?? '', new RegExp(`is ${how}`));
    assert.equal(await readFile(join(directory.path, 'checkpoint.json.unreadable'), 'utf8'), damaged);
  });
}

test('an earlier renamed checkpoint is kept', async () => {
  await using directory = await privateDirectory('checkpoint');
  for (const damaged of ['first', 'second']) {
    await writeFile(join(directory.path, 'checkpoint.json'), damaged);
    await loadCheckpoint(new StateDirectory(directory.path), log(), NAME);
  }
  const asides = ['checkpoint.json.unreadable', 'checkpoint.json.unreadable.1'];
  assert.deepEqual((await readdir(directory.path)).toSorted(), asides);
  assert.equal(await readFile(join(directory.path, asides[0]!), 'utf8'), 'first');
});

test('only a start without a checkpoint counts as the first', async () => {
  await using directory = await privateDirectory('checkpoint');
  assert.equal((await loadCheckpoint(new StateDirectory(directory.path), log(), NAME)).isFirstStart, true);
  await new CheckpointWriter(new StateDirectory(directory.path), log(), NAME).save(() => []);
  assert.equal((await loadCheckpoint(new StateDirectory(directory.path), log(), NAME)).isFirstStart, false);
});

test('a missing directory does not stop the writer, and is logged once', async () => {
  await using directory = await privateDirectory('checkpoint');
  const state = join(directory.path, 'state');
  await mkdir(state);
  const said: string[] = [];
  const writer = new CheckpointWriter(new StateDirectory(state), log(said), NAME);
  await rm(state, { recursive: true });
  assert.equal(await writer.save(() => [SAVED]), false);
  assert.equal(await writer.save(() => [SAVED]), false);
  assert.equal(said.length, 1);
  await mkdir(state);
  assert.equal(await writer.save(() => [SAVED]), true);
  assert.deepEqual((await loadCheckpoint(new StateDirectory(state), log(), NAME)).files, [SAVED]);
});

test('a source has one permanent id, unless it is given', async () => {
  await using directory = await privateDirectory('checkpoint');
  const state = join(directory.path, 'state');
  using held = holdDirectory(state, directory.path);
  const { source } = await openState(held, undefined);
  assert.match(source, /^[\w-]{12}$/);
  assert.deepEqual(await openState(held, undefined), { source });
  assert.deepEqual(await openState(held, 'given'), { source: 'given' });
  assert.deepEqual(await readdir(state), ['source-id']);
});
