import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { StateDirectory } from '../../../src/logship/state/held-directory.ts';
import { openHoles } from '../../../src/logship/state/holes.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { log } from '../said.ts';

const FILE = { path: '/a.log', head: Buffer.from('head') };

test('ranges of a file are one hole, which the next start knows', async () => {
  await using directory = await privateDirectory('holes');
  const holes = await openHoles(new StateDirectory(directory.path), log());
  assert.equal(holes.isComplete, false);
  await Promise.all([holes.add(FILE, { start: 8, end: 16 }), holes.add(FILE, { start: 4, end: 8 })]);
  const again = await openHoles(new StateDirectory(directory.path), log());
  assert.partialDeepStrictEqual(again.of(FILE), { start: 4, end: 16 });
  assert.equal(again.isComplete, true);
  for (const other of [
    { ...FILE, path: '/b.log' },
    { ...FILE, head: Buffer.from('other') },
  ])
    assert.equal(again.of(other), undefined);
});

for (const damaged of ['', '\0\0\0', '{"version":1,"holes":[{"path":', '{"version":2}'])
  test(`a damaged record ${JSON.stringify(damaged)} is renamed and reported`, async () => {
    await using directory = await privateDirectory('holes');
    await writeFile(join(directory.path, 'reclaimed.json'), damaged);
    const said: string[] = [];
    const holes = await openHoles(new StateDirectory(directory.path), log(said));
    assert.equal(holes.isComplete, false);
    assert.match(said.join(), /reclaimed\.json is damaged .*: renamed to .*reclaimed\.json\.unreadable$/);
    assert.deepEqual(await readdir(directory.path), ['reclaimed.json.unreadable']);
    assert.equal(await readFile(join(directory.path, 'reclaimed.json.unreadable'), 'utf8'), damaged);
  });
