import assert from 'node:assert/strict';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { StateFolder } from '../../../src/logship/state/held-folder.ts';
import { checkpointNames } from '../../../src/logship/state/folder.ts';
import { privateFolder } from '../../../tools/folder.ts';
import { canHaveSmallDisk } from '../../cluster/small-disk.ts';
import { fill, giveRoom, onSmallDisk } from '../../faults/small-state.ts';

/** As it is left by a run with `--to A --to B`. */
async function leave(folder: string): Promise<void> {
  await writeFile(join(folder, 'checkpoint.json'), "A's");
  await writeFile(join(folder, 'checkpoint-B.json'), "B's");
  await writeFile(join(folder, 'checkpoint.of'), 'A\n');
}

async function checkpointsOf(folder: string, order: readonly string[]): Promise<readonly string[]> {
  const names = await checkpointNames(new StateFolder(folder), order);
  return await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
}

const skip = (await canHaveSmallDisk()) ?? false;

for (const next of ['B A', 'A B']) {
  const order = next.split(' ');
  const own = order.map((name) => `${name}'s`);

  test(`after a start on a full disk in another order, ${next} each have their own`, { skip }, async () => {
    await using folder = await privateFolder('names');
    await using disk = await onSmallDisk(join(folder.path, 'state'));
    await leave(disk.state);
    fill(disk.state);
    await assert.rejects(checkpointNames(new StateFolder(disk.state), ['B', 'A']), { code: 'ENOSPC' });
    giveRoom(disk.state);
    assert.deepEqual(await checkpointsOf(disk.state, order), own);
  });

  test(`after a start that was killed before the last rename, ${next} each have their own`, async () => {
    await using folder = await privateFolder('names');
    await leave(folder.path);
    await rename(join(folder.path, 'checkpoint.json'), join(folder.path, 'checkpoint-A.json'));
    await writeFile(join(folder.path, 'checkpoint.of'), 'B\n');
    assert.deepEqual(await checkpointsOf(folder.path, order), own);
  });
}
