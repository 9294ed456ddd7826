import assert from 'node:assert/strict';
import { once } from 'node:events';
import { access, appendFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { holdDirectory, StateDirectory } from '../../../src/logship/state/held-directory.ts';
import { ConfigError } from '../../../src/core/errors.ts';
import { holdState } from '../../../src/logship/state/directory.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { runHelper, startHelper } from '../../support/helper.ts';
import { log } from '../said.ts';

async function logs() {
  const directory = await privateDirectory('lock');
  const file = join(directory.path, 'keystone/keystone.log');
  await mkdir(join(directory.path, 'keystone'));
  await writeFile(file, '2026-11-20 08:15:42.123 7 INFO keystone [-] up\n');
  return { root: directory.path, file, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

test('a second process on a state directory is rejected, unless the first was killed', async () => {
  await using l = await logs();
  await using first = await startHelper('kolla-log-ship', ['--root', l.root]);
  for (let heard = ''; !heard.includes('shipping '); heard += String((await once(first.child.stderr!, 'data'))[0]));
  const second = await runHelper('kolla-log-ship', ['--root', l.root, '--once']);
  assert.equal(second.code, 65);
  assert.match(second.stderr, /another kolla-log-ship uses .*\.kolla-log-ship/);
  const elsewhere = ['--state', join(l.root, 'look')];
  assert.equal((await runHelper('kolla-log-ship', ['--root', l.root, '--once', ...elsewhere])).code, 0);
  first.child.kill('SIGKILL');
  await first.ended;
  await appendFile(l.file, 'more\n');
  assert.equal((await runHelper('kolla-log-ship', ['--root', l.root, '--once'])).code, 0);
});

test('a directory whose path is too long for a socket is locked too, and nothing is left in it', async () => {
  await using l = await logs();
  const directory = join(l.root, 'x'.repeat(200));
  {
    using held = holdDirectory(directory, l.root);
    await using _ = await holdState(held, log());
    using again = holdDirectory(directory, l.root);
    await assert.rejects(holdState(again, log()), ConfigError);
  }
  assert.deepEqual(await readdir(directory), []);
});

test("an existing file with the name of the lock's socket is kept, and blocks nothing", async () => {
  await using l = await logs();
  await writeFile(join(l.root, 'running.sock'), 'mine');
  await using _ = await holdState(new StateDirectory(l.root), log());
  await access(join(l.root, 'running.sock'));
});
