import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { KOLLA_NAMES } from '../../src/probe/kolla/index.ts';
import { privateFolder } from '../../tools/folder.ts';
import { runHelper } from '../support/helper.ts';
import { run } from '../../tools/process.ts';

const shims = (...args: string[]) => runHelper('kolla-pod', ['shims', ...args]);

test('each name is written as a script for everybody to run, over what stood there', async () => {
  await using folder = await privateFolder('shims');
  const dir = join(folder.path, 'usr/local/bin');
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'healthcheck_port'), '#!/bin/sh\nexit 9\n');
  await chmod(join(dir, 'healthcheck_port'), 0o600);
  assert.deepEqual(await shims(dir), { code: 0, stdout: '', stderr: '' });
  assert.deepEqual((await readdir(dir)).toSorted(), [...KOLLA_NAMES].toSorted());
  for (const name of KOLLA_NAMES) {
    assert.equal((await stat(join(dir, name))).mode & 0o777, 0o755);
    assert.match(
      await readFile(join(dir, name), 'utf8'),
      new RegExp(`\nexec -a ${name} '/usr/local/bin/kolla-pod' "\\$@"\n$`),
    );
    assert.deepEqual(await run('bash', ['-n', join(dir, name)]), { code: 0, stdout: '', stderr: '' });
  }
});

test('what they become may have any path', async () => {
  await using folder = await privateFolder('shims');
  const binary = join(folder.path, "it's $HOME `x` pod");
  await writeFile(binary, '#!/bin/bash\nprintf "<%s>" "$@"\n', { mode: 0o755 });
  assert.equal((await shims(join(folder.path, 'bin'), '--binary', binary)).code, 0);
  const env = { PATH: process.env['PATH'], KOLLA_PROBE_DOOR_FILE: '/nonexistent' };
  const { stdout, stderr } = await run(join(folder.path, 'bin/healthcheck_curl'), ['a b', '', '*'], { env });
  assert.deepEqual({ stdout, stderr }, { stdout: '<a b><><*>', stderr: '' });
});

test('a folder that can not be written is told with its path', async () => {
  await using folder = await privateFolder('shims');
  const file = join(folder.path, 'file');
  await writeFile(file, '');
  const { code, stderr } = await shims(join(file, 'bin'));
  assert.equal(code, 69);
  assert.match(stderr, /cannot write .*file\/bin\/healthcheck_curl: ENOTDIR/);
  assert.equal((await shims(folder.path, '--binary', 'a\nb')).code, 64);
});
