import assert from 'node:assert/strict';
import { link, mkdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { applyPlanned, makePlan } from '../../src/config/index.ts';
import { mountPoints } from '../../src/fs/mount-points.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { applyWords, whereWeMayMount, whyNoMount } from './own-process.ts';
import { entry, pod, type Pod } from './support.ts';

const skip = (await whyNoMount()) ?? false;
const ME = { uid: 0, gid: 0, groups: [] };

/** Installs two files, one of which is a mount point when the command runs. Prints the exit code and both contents. */
async function withMountedFile(p: Pod, more: object): Promise<string[]> {
  await p.write(join(p.root, 'etc/passwd'), 'keystone:x:0:0::/:/bin/sh\n');
  await p.write(join(p.root, 'etc/group'), 'keystone:x:0:\n');
  const mounted = await p.write(join(p.root, '../mounted'), 'a longer old one');
  await link(await p.write(join(p.root, 'etc/x/first.conf'), 'old'), join(p.root, '../same-inode'));
  await p.write(join(p.root, 'etc/my.cnf'), '');
  for (const name of ['first.conf', 'my.cnf']) await p.write(join(p.configDir, name), 'new');
  await p.config({
    command: 'true',
    config_files: [entry('first.conf', '/etc/x/first.conf'), entry('my.cnf', '/etc/my.cnf')],
  });
  const options = { root: p.root, configDir: p.configDir, configFile: undefined, me: ME, ...more };
  const script = 'mount --bind "$1" "$2"; shift 2; code=0; "$@" >&2 || code=$?; echo $code';
  const done = await whereWeMayMount(script, mounted, join(p.root, 'etc/my.cnf'), ...applyWords(options));
  const contents = [join(p.root, 'etc/x/first.conf'), mounted].map((path) => readFile(path, 'utf8'));
  return [done.stdout.trim(), ...(await Promise.all(contents)), done.stderr];
}

test('a destination that is a mount point is rejected before anything is touched', { skip }, async () => {
  await using p = await pod();
  const [code, first, mounted, stderr] = await withMountedFile(p, {});
  assert.deepEqual([code, first, mounted], ['65', 'old', 'a longer old one'], stderr);
  assert.match(stderr ?? '', /config_files\[1\]: .*my.cnf: it is itself a mount point.*mount its directory instead/);
});

test('a file mounted by the service is written in place on request', { skip }, async () => {
  await using p = await pod();
  const before = join(p.root, '../mounted');
  const [code, first, mounted, stderr] = await withMountedFile(p, { writesInPlace: true });
  assert.deepEqual([code, first, mounted], ['0', 'new', 'new'], stderr);
  assert.equal((await stat(before)).mode & 0o777, 0o600);
});

test('a directory that a service replaces by a link does not lead a write in place outside of the root', async () => {
  await using p = await pod();
  const outside = join(p.root, '../outside');
  await p.write(join(p.root, 'etc/my.cnf'), 'old');
  await p.write(join(outside, 'my.cnf'), "another program's");
  await p.write(join(p.configDir, 'my.cnf'), 'new');
  await p.config({ command: 'true', config_files: [entry('my.cnf', '/etc/my.cnf')] });
  const options = { root: p.root, configDir: p.configDir, configFile: undefined, me: p.me, writesInPlace: true };
  const context = { signal: new AbortController().signal, log: recordedLog().log };
  const planned = await makePlan(options, context);
  await rename(join(p.root, 'etc'), join(p.root, 'etc.old'));
  await symlink(outside, join(p.root, 'etc'));
  await assert.rejects(applyPlanned(planned!, context), /etc is a link to .*outside, outside of/);
  assert.equal(await readFile(join(outside, 'my.cnf'), 'utf8'), "another program's");
});

test('a file in a mountable directory is never written in place', { skip }, async () => {
  await using p = await pod();
  const [, first] = await withMountedFile(p, { writesInPlace: true });
  assert.equal(first, 'new');
  assert.equal(await readFile(join(p.root, '../same-inode'), 'utf8'), 'old');
});

test('the content of a mounted directory is updated, and the directory itself kept', { skip }, async () => {
  await using p = await pod();
  await p.write(join(p.root, 'etc/passwd'), 'keystone:x:0:0::/:/bin/sh\n');
  await p.write(join(p.root, 'etc/group'), 'keystone:x:0:\n');
  await p.write(join(p.configDir, 'x/a.conf'), 'new');
  const volume = join(p.root, '../volume');
  await mkdir(volume);
  await writeFile(join(volume, 'service.db'), 'data');
  await mkdir(join(p.root, 'etc/x'));
  await p.config({ command: 'true', config_files: [entry('x', '/etc/x')] });
  const options = { root: p.root, configDir: p.configDir, configFile: undefined, me: ME };
  const script = 'mount --bind "$1" "$2"; shift 2; "$@"';
  const done = await whereWeMayMount(script, volume, join(p.root, 'etc/x'), ...applyWords(options));
  assert.equal(done.code, 0, done.stderr);
  assert.equal(await readFile(join(volume, 'a.conf'), 'utf8'), 'new');
  assert.equal(await readFile(join(volume, 'service.db'), 'utf8'), 'data');
});

test('mount points with spaces in their names are found', async () => {
  await using p = await pod();
  const line = String.raw`36 35 98:0 /a /etc/with\040blank\011tab rw - ext3 /dev/root rw`;
  const file = await p.write(join(p.root, 'mountinfo'), `${line}\n`);
  assert.ok(mountPoints(file).has('/etc/with blank\ttab'));
  assert.equal(mountPoints('/no/such/file').size, 0);
});
