import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { newToken, readDoorFile, writeDoorFile } from '../../../src/probe/kolla/door-file.ts';
import { privateFolder } from '../../support/folder.ts';

test('the file is two lines that every user of the pod may read, and goes with its server', async () => {
  await using folder = await privateFolder('door');
  const path = join(folder.path, 'run/kolla/probe');
  const token = newToken();
  {
    await using _ = await writeDoorFile({ port: 8700, token }, path);
    assert.equal(await readFile(path, 'utf8'), `8700\n${token}\n`);
    assert.equal((await stat(path)).mode & 0o777, 0o644);
    assert.deepEqual(await readDoorFile(path), { port: 8700, token });
  }
  await assert.rejects(readFile(path), { code: 'ENOENT' });
});

test("a successor's file is left alone", async () => {
  await using folder = await privateFolder('door');
  const path = join(folder.path, 'probe');
  const successor = newToken();
  {
    await using _ = await writeDoorFile({ port: 1, token: newToken() }, path);
    await writeFile(path, `2\n${successor}\n`);
  }
  assert.deepEqual(await readDoorFile(path), { port: 2, token: successor });
});

test('a file of another form is refused', async () => {
  await using folder = await privateFolder('door');
  const path = join(folder.path, 'probe');
  for (const text of ['', '8700\n', '8700\nshort\n', `87x\n${newToken()}\n`, `8700\n${newToken()}`]) {
    await writeFile(path, text);
    await assert.rejects(readDoorFile(path), RangeError);
  }
});
