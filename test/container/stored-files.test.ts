/** State left in volumes by an older kolla-pod: today's helpers resume from it, or report why they cannot. */
import assert from 'node:assert/strict';
import { cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { runHelper } from '../support/helper.ts';

const STORED = fileURLToPath(new URL('../fixtures/stored', import.meta.url));

/** A volume that kolla-init has written, with two installed files, neither of which the image has. */
async function oldVolume() {
  const directory = await privateDirectory('stored');
  const [root, config] = [join(directory.path, 'root'), join(directory.path, 'config_files')];
  await cp(join(STORED, 'run-kolla'), join(root, 'run/kolla'), { recursive: true });
  await mkdir(join(root, 'etc/keystone'), { recursive: true });
  await mkdir(config);
  await writeFile(join(root, 'etc/passwd'), `service:x:${process.getuid!()}:${process.getgid!()}::/:/bin/sh\n`);
  await writeFile(join(root, 'etc/group'), `service:x:${process.getgid!()}:\n`);
  for (const name of ['keystone.conf', 'new.conf']) await writeFile(join(root, 'etc/keystone', name), 'ours\n');
  const file = { source: '/var/lib/kolla/config_files/keystone.conf', dest: '/etc/keystone/keystone.conf' };
  const entry = { ...file, owner: 'service', perm: '0600' };
  await writeFile(join(config, 'keystone.conf'), 'ours\n');
  await writeFile(join(config, 'config.json'), JSON.stringify({ command: 'true', config_files: [entry] }));
  return { root, config, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

test('kolla-init: a file installed by an older kolla-init, and not in the image, is removed with its entry', async () => {
  await using volume = await oldVolume();
  const done = await runHelper('kolla-init', ['--root', volume.root, '--config-dir', volume.config]);
  assert.equal(done.code, 0, done.stderr);
  assert.equal(await readFile(join(volume.root, 'etc/keystone/keystone.conf'), 'utf8'), 'ours\n');
  await assert.rejects(stat(join(volume.root, 'etc/keystone/new.conf')), { code: 'ENOENT' });
});

test("kolla-probe config: an older watch's record is read", async () => {
  await using volume = await oldVolume();
  const asked = await runHelper('kolla-probe', ['config', '--root', volume.root, '--config-dir', volume.config]);
  assert.equal(asked.code, 0, asked.stderr);
});

test('kolla-probe config: a record of a later format is rejected, with the fix', async () => {
  await using volume = await oldVolume();
  await writeFile(join(volume.root, 'run/kolla/config-watch.json'), '{"format":2,"state":"in-step"}');
  const asked = await runHelper('kolla-probe', ['config', '--root', volume.root, '--config-dir', volume.config]);
  assert.equal(asked.code, 1, asked.stderr);
  assert.match(
    asked.stderr,
    /is of format 2, and this kolla-pod knows 1: run the kolla-pod that wrote it, or a later one/,
  );
});

test('kolla-log-ship: resumes after lines shipped by an older one, under the same source', async () => {
  await using directory = await privateDirectory('stored');
  const file = join(directory.path, 'keystone/keystone.log');
  const state = join(directory.path, '.kolla-log-ship');
  const line = (n: number) => `2026-11-20 08:15:42.123 7 INFO keystone.server [-] line ${n}\n`;
  await mkdir(join(directory.path, 'keystone'));
  await writeFile(file, Array.from({ length: 11 }, (_, n) => line(n)).join(''));
  await cp(join(STORED, 'log-ship'), state, { recursive: true });
  // The checkpoint must name the inode of the file in this copy of the volume.
  const { dev, ino } = await stat(file);
  const stored = await readFile(join(state, 'checkpoint.json'), 'utf8');
  const here = stored
    .replace('/var/log/kolla/keystone/keystone.log', file)
    .replace(/"dev":\d+,"ino":\d+/, `"dev":${dev},"ino":${ino}`);
  assert.notEqual(here, stored);
  await writeFile(join(state, 'checkpoint.json'), here);
  const words = ['--once', '--to', 'stdout', '--root', directory.path, '--timezone', 'UTC'];
  const shipped = await runHelper('kolla-log-ship', words);
  assert.equal(shipped.code, 0, shipped.stderr);
  const payloads = shipped.stdout
    .trimEnd()
    .split('\n')
    .map((text) => (JSON.parse(text) as { Payload: string }).Payload);
  assert.deepEqual(payloads, ['[-] line 10']);
  assert.equal(
    await readFile(join(state, 'source-id'), 'utf8'),
    await readFile(join(STORED, 'log-ship/source-id'), 'utf8'),
  );
});
