import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { StateDirectory } from '../../../src/logship/state/held-directory.ts';
import { CheckpointWriter, loadCheckpoint } from '../../../src/logship/state/checkpoint.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { canHaveSmallDisk } from '../../cluster/small-disk.ts';
import { fill, giveRoom, onSmallDisk, takeSpares } from '../../faults/small-state.ts';
import { log } from '../read/reading.ts';

const NAME = 'checkpoint.json';
const skip = (await canHaveSmallDisk()) ?? false;

/** A checkpoint with this number of files, each at this offset. */
function saved(files: number, offset: number) {
  return Array.from({ length: files }, (_, n) => ({
    generation: {
      path: `/var/log/kolla/nova/nova-compute-${n}.log`,
      dev: 1,
      ino: n,
      firstSeenMs: 4,
      head: Buffer.alloc(256, 'h'),
      rivals: [],
    },
    mark: { offset, skipping: false, timeMs: 6 },
    cuts: [],
    modifiedMs: 9,
  }));
}

async function world() {
  await using stack = new AsyncDisposableStack();
  const directory = stack.use(await privateDirectory('spare'));
  const { state } = stack.use(await onSmallDisk(join(directory.path, 'state')));
  const said: string[] = [];
  const resources = stack.move();
  return {
    state,
    said,
    writer: () => new CheckpointWriter(new StateDirectory(state), log(said), NAME),
    offsets: async () => {
      const { files } = await loadCheckpoint(new StateDirectory(state), log(said), NAME);
      return [files.length, ...new Set(files.map(({ mark }) => mark.offset))];
    },
    sizes: () =>
      readdirSync(state)
        .filter((name) => name.includes('.spare-'))
        .map((name) => statSync(join(state, name)).size),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

for (const files of [1, 500]) {
  test(
    `a checkpoint of ${files} files is rewritten repeatedly on a full volume, even if other files take the freed space`,
    { skip },
    async () => {
      await using w = await world();
      const first = w.writer();
      assert.equal(await first.save(() => saved(files, 1)), true);
      for (let offset = 10; offset < 1e9; offset *= 10) {
        fill(w.state);
        const writer = offset < 1e5 ? first : w.writer();
        assert.equal(await writer.save(() => saved(files, offset)), true, w.said.join('\n'));
        assert.deepEqual(await w.offsets(), [files, offset]);
      }
      assert.deepEqual(w.said, []);
      giveRoom(w.state);
      assert.equal(await first.save(() => saved(files, 2)), true);
      assert.equal(readFileSync(join(w.state, NAME), 'utf8').at(-1), '}');
      const there = readdirSync(w.state).toSorted();
      assert.deepEqual(there, [NAME, `${NAME}.spare-1`, `${NAME}.spare-2`, 'up']);
    },
  );
}

test('a volume that was always full is logged, and spare files are created later', { skip }, async () => {
  await using w = await world();
  fill(w.state);
  const writer = w.writer();
  assert.equal(await writer.save(() => saved(1, 1)), false);
  assert.match(w.said.join('\n'), /^cannot write .*checkpoint\.json: ENOSPC[^\n]*$/);
  giveRoom(w.state);
  assert.equal(await writer.save(() => saved(1, 2)), true);
  fill(w.state);
  takeSpares(w.state);
  fill(w.state);
  assert.equal(await writer.save(() => saved(1, 3)), false);
  assert.deepEqual(await w.offsets(), [1, 2]);
  giveRoom(w.state);
  assert.equal(await writer.save(() => saved(1, 4)), true);
  assert.deepEqual(w.sizes(), [65_536, 65_536]);
});

test('spare files grow with the checkpoint, and other users cannot read them', { skip }, async () => {
  await using w = await world();
  const writer = w.writer();
  for (const files of [1, 500]) await writer.save(() => saved(files, 1));
  const { size } = statSync(join(w.state, NAME));
  assert.deepEqual(
    w.sizes().map((spare) => spare > size),
    [true, true],
  );
  for (const name of readdirSync(w.state).filter((each) => each.startsWith(NAME)))
    assert.equal(statSync(join(w.state, name)).mode & 0o777, 0o600, name);
});

test('a missing or empty spare file does not matter', { skip }, async () => {
  await using w = await world();
  const writer = w.writer();
  await writer.save(() => saved(1, 1));
  rmSync(join(w.state, `${NAME}.spare-1`));
  fill(w.state);
  assert.equal(await writer.save(() => saved(1, 2)), true);
  assert.deepEqual(await w.offsets(), [1, 2]);
});
