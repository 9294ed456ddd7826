import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { copyCaCertificates } from '../../../src/container/start/index.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { recordedLog } from '../../support/recorded-log.ts';

test('an update that failed after the last certificate was removed is repeated until it succeeds', async () => {
  await using directory = await privateDirectory('ca');
  const root = directory.path;
  const own = join(root, 'var/lib/kolla/config_files/ca-certificates/own.crt');
  for (const [path, text] of [
    [join(root, 'etc/redhat-release'), ''],
    [own, 'certificate'],
  ] as const) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  const updates: number[] = [];
  const { log } = recordedLog();
  const copy = (code: number) => {
    const update = () => Promise.resolve(updates.push(code) && code);
    return copyCaCertificates({ root, update, umask: 0o022, signal: new AbortController().signal, log });
  };
  assert.equal(await copy(0), 0);
  await rm(own);
  assert.equal(await copy(1), 1);
  assert.equal(await copy(2), 2);
  assert.equal(await copy(0), 0);
  assert.equal(await copy(3), 0);
  assert.deepEqual(updates, [0, 1, 2, 0]);
});
