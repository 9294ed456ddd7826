/** Runs as a service's uid, whoever runs the test: a process that is not root and cannot read files of mode 0. */
import assert from 'node:assert/strict';
import { access, chmod, chown, lstat, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { run } from '../../tools/process.ts';
import { applyWords, look } from './own-process.ts';
import { entry, pod, type Pod } from './support.ts';

const OTHER = 65_534;

interface Unprivileged {
  readonly words: readonly string[];
  readonly uid: number;
}

/** Grants that user, `service` in the image, access to the pod's files. Returns a command line that applies them as the user. */
async function asService(p: Pod, user: Unprivileged, options: { root: string; image: string }): Promise<string[]> {
  await p.write(join(options.image, 'etc/passwd'), `service:x:${user.uid}:${user.uid}::/:/bin/sh\n`);
  await p.write(join(options.image, 'etc/group'), `service:x:${user.uid}:\n`);
  await mkdir(options.root, { recursive: true });
  await chmod(dirname(p.configDir), 0o755);
  if (user.words.length > 0) await chown(options.root, user.uid, user.uid);
  const me = { uid: user.uid, gid: user.words.length > 0 ? user.uid : p.me.gid, groups: [] };
  return [...user.words, ...applyWords({ ...options, configDir: p.configDir, configFile: undefined, me })];
}

/** How to run without privileges: directly, or by switching to another user. */
async function unprivileged(p: Pod): Promise<Unprivileged | undefined> {
  const locked = await p.write(join(p.configDir, '../locked'), '', 0);
  const mayRead = await access(locked).then(
    () => true,
    () => false,
  );
  if (!mayRead) return { words: [], uid: p.me.uid };
  const words = ['setpriv', '--reuid', `${OTHER}`, '--regid', `${OTHER}`, '--clear-groups'];
  // Other users cannot run a clone in a private home directory.
  const tried = await run(words[0]!, [...words.slice(1), process.execPath, '--check', import.meta.filename]);
  return tried.code === 0 ? { words, uid: OTHER } : undefined;
}

test('a service gets its full volume, except for unreadable files of the image, which are named', async (t) => {
  await using p = await pod();
  const user = await unprivileged(p);
  if (user === undefined) return t.skip('no unprivileged process here can read this clone');
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
  assert.match(warnings[0]!, /may not read it: permission denied.*etc\/x\/locked.conf/);
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

test("a volume's root directory, owned by root and open to the Pod, is accepted", async (t) => {
  await using p = await pod();
  const user = await unprivileged(p);
  if (user === undefined || user.words.length === 0) return t.skip('cannot create a directory of another user here');
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

test('a directory that this user cannot write to is rejected before anything is touched, with the fix', async (t) => {
  await using p = await pod();
  const user = await unprivileged(p);
  if (user === undefined) return t.skip('no unprivileged process here can read this clone');
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

test('a root that this user may not write is one problem, not one per file', async (t) => {
  await using p = await pod();
  const user = await unprivileged(p);
  if (user === undefined) return t.skip('no unprivileged process here can read this clone');
  await p.write(join(p.root, 'etc/passwd'), `service:x:${user.uid}:${user.uid}::/:/bin/sh\n`);
  await p.write(join(p.root, 'etc/group'), `service:x:${user.uid}:\n`);
  await p.write(join(p.configDir, 'a'), 'a');
  for (const path of [p.root, join(p.root, 'etc')]) await chmod(path, 0o555);
  await chmod(dirname(p.configDir), 0o755);
  const files = ['/etc/a', '/etc/b', '/srv/c/d'].map((dest) => entry('a', dest, { owner: 'service' }));
  await p.config({
    command: 'true',
    config_files: files,
    directories: [{ path: '/var/x', owner: 'service', perm: '0755' }],
  });
  const me = { uid: user.uid, gid: user.uid, groups: [] };
  const options = { root: p.root, image: '/', configDir: p.configDir, configFile: undefined, me };
  const [command = '', ...args] = [...user.words, ...applyWords(options)];
  const done = await run(command, args);
  assert.equal(done.code, 65, done.stderr);
  const one = `directories[0].path and 4 more: --root ${p.root} may not be written by us; mount a volume there that this user may write`;
  assert.ok(done.stderr.includes(`config.json: ${one}. Nothing was touched.`), done.stderr);
});

test('a directory of the image that this user cannot enter is skipped', async (t) => {
  await using p = await pod();
  const user = await unprivileged(p);
  if (user === undefined) return t.skip('no unprivileged process here can read this clone');
  const [image, root] = [join(p.configDir, '../image'), join(p.configDir, '../volume')];
  await p.write(join(image, 'root/.ssh/config'), 'of root', 0o600);
  await chmod(join(image, 'root'), 0o700);
  if (user.words.length === 0) await chmod(join(image, 'root'), 0);
  await p.write(join(p.configDir, 'a'), 'a');
  await p.config({
    command: 'true',
    config_files: [entry('a', '/root/.ssh/config', { owner: 'service' })],
    directories: [{ path: '/root/cache/x', owner: 'service', perm: '0755' }],
  });
  const [command = '', ...args] = await asService(p, user, { root, image });
  for (const written of [1, 0]) {
    const done = await run(command, args);
    assert.equal(done.code, 0, done.stderr);
    assert.match(done.stdout, new RegExp(`"written":${written}`));
  }
  assert.equal(await readFile(join(root, 'root/.ssh/config'), 'utf8'), 'a');
  assert.ok((await stat(join(root, 'root/cache/x'))).isDirectory());
});

test('a path that this user cannot access is rejected with its entry', async (t) => {
  await using p = await pod();
  const user = await unprivileged(p);
  if (user === undefined) return t.skip('no unprivileged process here can read this clone');
  await p.write(join(p.root, 'root/file'), 'of root');
  await p.write(join(p.configDir, 'a'), 'a');
  await p.write(join(p.configDir, 'locked'), 'a', 0);
  await p.config({
    command: 'true',
    config_files: [entry('a', '/root/x/a', { owner: 'service' }), entry('locked', '/etc/locked', { owner: 'service' })],
    directories: [{ path: '/root/x', owner: 'service', perm: '0755' }],
    files: [{ path: '/root/y', owner: 'service', perm: '0644' }],
  });
  const [command = '', ...args] = await asService(p, user, { root: p.root, image: p.root });
  await chmod(join(p.root, 'root'), 0);
  const done = await run(command, args);
  assert.equal(done.code, 65, done.stderr);
  assert.match(
    done.stderr,
    /directories\[0\]\.path: permission denied.*files\[0\]\.path: permission denied.*config_files\[0\]\.dest: permission denied/,
  );
  assert.match(done.stderr, /config_files\[1\]\.source: .*config_files\/locked is not readable; .* fsGroup/);
});

test('an inaccessible path of permissions is a warning, and the following ones are applied', async (t) => {
  await using p = await pod();
  const user = await unprivileged(p);
  if (user === undefined) return t.skip('no unprivileged process here can read this clone');
  await p.write(join(p.root, 'var/lib/locked/x/file'), 'of root');
  await p.write(join(p.root, 'var/lib/open/file'), 'of root');
  await p.config({
    command: 'true',
    permissions: [
      { path: '/var/lib/locked/*/file', owner: 'service', perm: '0600' },
      { path: '/var/lib/open', owner: 'service', perm: '0700' },
    ],
  });
  const [command = '', ...args] = await asService(p, user, { root: p.root, image: p.root });
  await chown(join(p.root, 'var/lib/open'), user.uid, user.uid);
  await chmod(join(p.root, 'var/lib/locked'), 0);
  const done = await run(command, args);
  assert.equal(done.code, 0, done.stderr);
  const { said } = JSON.parse(done.stdout) as { said: string };
  assert.match(said, /permissions\[0\]: owner and mode stay as they are: permission denied.*var\/lib\/locked/);
  assert.equal((await stat(join(p.root, 'var/lib/open'))).mode & 0o777, 0o700);
});
