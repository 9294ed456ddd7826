import assert from 'node:assert/strict';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { StateDirectory } from '../../../src/logship/state/held-directory.ts';
import { checkpointNames } from '../../../src/logship/state/directory.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { canHaveSmallDisk } from '../../cluster/small-disk.ts';
import { fill, giveRoom, onSmallDisk } from '../../faults/small-state.ts';

/** The state that a run with `--to A --to B` leaves. */
async function leave(directory: string): Promise<void> {
  await writeFile(join(directory, 'checkpoint.json'), "A's");
  await writeFile(join(directory, 'checkpoint-B.json'), "B's");
  await writeFile(join(directory, 'checkpoint.of'), 'A\n');
}

async function checkpointsOf(directory: string, order: readonly string[]): Promise<readonly string[]> {
  const names = await checkpointNames(new StateDirectory(directory), order);
  return await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));
}

const skip = (await canHaveSmallDisk()) ?? false;

for (const next of ['B A', 'A B']) {
  const order = next.split(' ');
  const own = order.map((name) => `${name}'s`);

  test(
    `after a start on a full disk in another order, destinations ${next} each keep their checkpoint`,
    { skip },
    async () => {
      await using directory = await privateDirectory('names');
      await using disk = await onSmallDisk(join(directory.path, 'state'));
      await leave(disk.state);
      fill(disk.state);
      await assert.rejects(checkpointNames(new StateDirectory(disk.state), ['B', 'A']), { code: 'ENOSPC' });
      giveRoom(disk.state);
      assert.deepEqual(await checkpointsOf(disk.state, order), own);
    },
  );

  test(`after a start killed before its last rename, destinations ${next} each keep their checkpoint`, async () => {
    await using directory = await privateDirectory('names');
    await leave(directory.path);
    await rename(join(directory.path, 'checkpoint.json'), join(directory.path, 'checkpoint-A.json'));
    await writeFile(join(directory.path, 'checkpoint.of'), 'B\n');
    assert.deepEqual(await checkpointsOf(directory.path, order), own);
  });
}

test('an empty record of the owner, as a crash may leave it, moves no checkpoint', async () => {
  await using directory = await privateDirectory('names');
  await writeFile(join(directory.path, 'checkpoint.json'), 'its own');
  await writeFile(join(directory.path, 'checkpoint.of'), '');
  assert.deepEqual(await checkpointsOf(directory.path, ['stdout']), ['its own']);
  assert.equal(await readFile(join(directory.path, 'checkpoint.of'), 'utf8'), 'stdout\n');
});
