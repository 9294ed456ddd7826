/** As a service's own uid, whatever the test runs as: a process that is not root and may read no file of mode 0. */
import assert from 'node:assert/strict';
import { access, chmod, chown, lstat, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { run } from '../support/process.ts';
import { applyWords, look } from './own-process.ts';
import { entry, pod, type Pod } from './support.ts';

const OTHER = 65_534;

interface Unprivileged {
  readonly words: readonly string[];
  readonly uid: number;
}

/** How a process without privileges is had here: as it is, or by becoming another user. */
async function unprivileged(p: Pod): Promise<Unprivileged | undefined> {
  const locked = await p.write(join(p.configDir, '../locked'), '', 0);
  const mayRead = await access(locked).then(
    () => true,
    () => false,
  );
  if (!mayRead) return { words: [], uid: p.me.uid };
  const words = ['setpriv', '--reuid', `${OTHER}`, '--regid', `${OTHER}`, '--clear-groups'];
  const tried = await run(words[0]!, [...words.slice(1), process.execPath, '--version']);
  return tried.code === 0 ? { words, uid: OTHER } : undefined;
}

test('a service gets its volume whole, but for what the image lets nobody read, which is said by name', async (t) => {
  await using p = await pod();
  const user = await unprivileged(p);
  if (user === undefined) return t.skip('no process without privileges can be had here');
  const [image, volume] = [join(p.configDir, '../image'), join(p.configDir, '../volume')];
  await p.write(join(image, 'etc/passwd'), `service:x:${user.uid}:${user.uid}::/:/bin/sh\nroot:x:0:0::/:/bin/sh\n`);
  await p.write(join(image, 'etc/group'), `service:x:${user.uid}:\nroot:x:0:\n`);
  await p.write(join(image, 'etc/x/default.conf'), 'default', 0o644);
  await p.write(join(image, 'etc/x/locked.conf'), 'locked', 0);
  await p.write(join(image, 'etc/x/asked.conf'), 'locked', 0);
  await p.write(join(p.configDir, 'asked.conf'), 'asked');
  await p.config({
    command: 'true',
    config_files: [entry('asked.conf', '/etc/x/asked.conf', { owner: 'root' })],
    permissions: [{ path: '/var/lib/service', owner: 'service', perm: '0750' }],
  });
  await mkdir(volume);
  await chmod(dirname(p.configDir), 0o755);
  if (user.words.length > 0) await chown(volume, user.uid, user.uid);
  const me = { uid: user.uid, gid: user.words.length > 0 ? user.uid : p.me.gid, groups: [] };
  const options = { root: volume, image, configDir: p.configDir, configFile: undefined, me };
  const [command = '', ...args] = [...user.words, ...applyWords(options)];
  const done = await run(command, args);
  assert.equal(done.code, 0, done.stderr);
  const { said } = JSON.parse(done.stdout) as { said: string };
  const warnings = said.split('\n').filter((line) => line.includes('"warn"'));
  assert.equal(warnings.length, 1, said);
  assert.match(warnings[0]!, /may not read it: EACCES.*etc\/x\/locked.conf/);
  assert.deepEqual((await readdir(join(volume, 'etc/x'))).toSorted(), ['asked.conf', 'default.conf']);
  assert.equal((await stat(join(volume, 'etc/x/asked.conf'))).mode & 0o777, 0o600);
  assert.equal((await stat(join(volume, 'var/lib/service'))).mode & 0o777, 0o750);
  for (const name of await readdir(volume, { recursive: true }))
    assert.equal((await lstat(join(volume, name))).uid, user.uid, name);
  const before = await look(volume);
  const again = await run(command, args);
  assert.match(again.stdout, /"written":0,"unchanged":1/);
  assert.deepEqual(await look(volume), before);
});

test("a volume's own folder, which is root's and open to the pod, is taken as it is", async (t) => {
  await using p = await pod();
  const user = await unprivileged(p);
  if (user === undefined || user.words.length === 0) return t.skip('no folder of another user can be had here');
  await p.write(join(p.root, 'etc/passwd'), `service:x:${user.uid}:${user.uid}::/:/bin/sh\n`);
  await p.write(join(p.root, 'etc/group'), `service:x:${user.uid}:\n`);
  await mkdir(join(p.root, 'var/log/kolla'), { recursive: true });
  await chmod(join(p.root, 'var/log/kolla'), 0o2777);
  await chmod(dirname(p.configDir), 0o755);
  await p.config({
    command: 'true',
    directories: [{ path: '/var/log/kolla', owner: 'service', perm: '0755' }],
  });
  const me = { uid: user.uid, gid: user.uid, groups: [] };
  const options = { root: p.root, image: p.root, configDir: p.configDir, configFile: undefined, me };
  const [command = '', ...args] = [...user.words, ...applyWords(options)];
  const done = await run(command, args);
  assert.equal(done.code, 0, done.stderr);
  assert.equal((await stat(join(p.root, 'var/log/kolla'))).mode & 0o7777, 0o2777);
});

test('a folder that this user may not write is refused before anything is touched, with the fix', async (t) => {
  await using p = await pod();
  const user = await unprivileged(p);
  if (user === undefined) return t.skip('no process without privileges can be had here');
  await p.write(join(p.root, 'etc/passwd'), `service:x:${user.uid}:${user.uid}::/:/bin/sh\n`);
  await p.write(join(p.root, 'etc/group'), `service:x:${user.uid}:\n`);
  await p.write(join(p.configDir, 'a'), 'a');
  await mkdir(join(p.root, 'etc/y'), { mode: 0o555 });
  await chmod(dirname(p.configDir), 0o755);
  await p.config({ command: 'true', config_files: [entry('a', '/etc/y/a', { owner: 'service' })] });
  const me = { uid: user.uid, gid: user.uid, groups: [] };
  const options = { root: p.root, image: p.root, configDir: p.configDir, configFile: undefined, me };
  const [command = '', ...args] = [...user.words, ...applyWords(options)];
  const done = await run(command, args);
  assert.equal(done.code, 65, done.stderr);
  assert.match(done.stderr, /etc\/y may not be written by us; mount a volume there that this user may write/);
});
