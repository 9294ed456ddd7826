import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { newToken, readDoorFile, writeDoorFile } from '../../../src/probe/kolla/door-file.ts';
import { privateFolder } from '../../../tools/folder.ts';

test('the file is three lines that every user of the pod may read, and goes with its server', async () => {
  await using folder = await privateFolder('door');
  const path = join(folder.path, 'run/kolla/probe');
  const [token, proof] = [newToken(), newToken()];
  {
    await using _ = await writeDoorFile({ port: 8700, token, proof }, path);
    assert.equal(await readFile(path, 'utf8'), `8700\n${token}\n${proof}\n`);
    assert.equal((await stat(path)).mode & 0o777, 0o644);
    assert.deepEqual(await readDoorFile(path), { port: 8700, token, proof });
  }
  await assert.rejects(readFile(path), { code: 'ENOENT' });
});

test("a successor's file is left alone", async () => {
  await using folder = await privateFolder('door');
  const path = join(folder.path, 'probe');
  const [successor, proof] = [newToken(), newToken()];
  {
    await using _ = await writeDoorFile({ port: 1, token: newToken(), proof }, path);
    await writeFile(path, `2\n${successor}\n${proof}\n`);
  }
  assert.deepEqual(await readDoorFile(path), { port: 2, token: successor, proof });
});

test('a file of another form is refused', async () => {
  await using folder = await privateFolder('door');
  const path = join(folder.path, 'probe');
  const two = `${newToken()}\n${newToken()}`;
  for (const text of ['', '8700\n', '8700\nshort\n', `8700\n${newToken()}\n`, `87x\n${two}\n`, `8700\n${two}`]) {
    await writeFile(path, text);
    await assert.rejects(readDoorFile(path), RangeError);
  }
});
