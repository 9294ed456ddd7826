import assert from 'node:assert/strict';
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError } from '../../src/core/errors.ts';
import { entry, pod } from './support.ts';

const mode = async (path: string) => (await stat(path)).mode & 0o7777;

test("missing files are created empty, and a service's existing files keep their content", async () => {
  await using p = await pod();
  const kept = await p.write(join(p.root, 'var/log/kolla/kept.log'), 'line\n', 0o644);
  const file = (path: string) => ({ path, owner: 'keystone', perm: '0640' });
  await p.config({ command: 'true', files: [file('/var/log/kolla/new.log'), file('/var/log/kolla/kept.log')] });
  const { ino } = await stat(kept);
  await p.apply();
  assert.equal(await readFile(join(p.root, 'var/log/kolla/new.log'), 'utf8'), '');
  assert.equal(await mode(join(p.root, 'var/log/kolla/new.log')), 0o640);
  assert.equal(await readFile(kept, 'utf8'), 'line\n');
  assert.equal(await mode(kept), 0o640);
  assert.equal((await stat(kept)).ino, ino, 'a service may have it open');
});

test('a link or a directory in place of a file to be created is rejected', async () => {
  await using p = await pod();
  await symlink('/etc/passwd', join(p.root, 'etc/link'));
  const file = (path: string) => ({ path, owner: 'keystone', perm: '0640' });
  await p.config({ command: 'true', files: [file('/etc/link'), file('/etc')] });
  await assert.rejects(p.apply(), (error: unknown) => {
    assert.ok(error instanceof ConfigError);
    assert.match(
      error.message,
      /files\[0\].path: .*etc\/link is a link, and must be a file; files\[1\].path: .*etc is a directory/,
    );
    return true;
  });
});

test('exclude skips a path only if all its patterns match, as in Kolla', async () => {
  await using p = await pod();
  for (const name of ['.snapshot/a', '.snapshot/b.log', 'c']) await p.write(join(p.root, 'data', name), '', 0o600);
  await p.config({
    command: 'true',
    permissions: [
      {
        path: '/data',
        owner: 'keystone',
        perm: '0644',
        recurse: true,
        exclude: ['^/data/.snapshot', String.raw`\.log$`],
      },
    ],
  });
  await p.apply();
  const modes = await Promise.all(
    ['.snapshot/a', '.snapshot/b.log', 'c'].map((name) => mode(join(p.root, 'data', name))),
  );
  assert.deepEqual(modes, [0o644, 0o600, 0o644]);
});

test('an invalid exclude is found before anything is touched', async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'a'), '');
  await p.config({
    command: 'true',
    config_files: [entry('a', '/etc/a')],
    permissions: [{ path: '/data', owner: 'keystone', exclude: ['('] }],
  });
  await assert.rejects(p.apply(), /permissions\[0\].exclude: the pattern \( is not a regular expression/);
  assert.deepEqual((await readdir(join(p.root, 'etc'))).toSorted(), ['group', 'passwd']);
});

test('an installed file has the mode of permissions from the start', async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'a.conf'), 'a');
  await p.config({
    command: 'true',
    config_files: [entry('a.conf', '/etc/x/a.conf')],
    permissions: [{ path: '/etc/x', owner: 'keystone', perm: '0640', recurse: true }],
  });
  await p.apply();
  const placed = join(p.root, 'etc/x/a.conf');
  assert.equal(await mode(placed), 0o640);
  assert.equal(await mode(join(p.root, 'etc/x')), 0o750);
  const { ctimeMs } = await stat(placed);
  assert.deepEqual(await p.apply(), { written: 0, unchanged: 1 });
  assert.equal((await stat(placed)).ctimeMs, ctimeMs);
});

for (const [written, asked] of [
  ['/run/foo', '/var/run/foo'],
  ['/var/run/foo', '/run/foo'],
  ['/var/run/foo', '/var/*/foo'],
] as const) {
  test(`permissions for ${asked} set the mode of files installed as ${written}, the same path`, async () => {
    await using p = await pod();
    const image = join(p.configDir, '../image');
    for (const top of [p.root, image]) {
      await mkdir(join(top, 'var'), { recursive: true });
      await mkdir(join(top, 'run/foo'), { recursive: true });
    }
    for (const link of [join(p.root, 'var/run'), join(image, 'var/run')]) await symlink('../run', link);
    await p.write(join(p.configDir, 'a.conf'), 'a');
    await p.config({
      command: 'true',
      config_files: [entry('a.conf', `${written}/a.conf`, { perm: '0644' })],
      permissions: [{ path: asked, owner: 'keystone', perm: '0600', recurse: true }],
    });
    for (const options of [{ image: p.root }, { image }]) {
      await rm(join(p.root, 'run/foo/a.conf'), { force: true });
      assert.deepEqual(await p.apply(options), { written: 1, unchanged: 0 });
      assert.equal(await mode(join(p.root, 'run/foo/a.conf')), 0o600);
      assert.deepEqual(await p.apply(options), { written: 0, unchanged: 1 });
    }
  });
}

test('exclude applies to paths as its entry spells them, also for files installed under another name', async () => {
  await using p = await pod();
  await mkdir(join(p.root, 'var'));
  await symlink('../run', join(p.root, 'var/run'));
  const found = await p.write(join(p.root, 'run/foo/kept.old'), '', 0o644);
  for (const name of ['kept.conf', 'a.conf']) await p.write(join(p.configDir, name), name);
  await p.config({
    command: 'true',
    config_files: ['kept.conf', 'a.conf'].map((name) => entry(name, `/run/foo/${name}`, { perm: '0644' })),
    permissions: [
      { path: '/var/run/f*', owner: 'keystone', perm: '0600', recurse: true, exclude: ['^/var/run/foo/kept'] },
    ],
  });
  await p.apply({ image: p.root });
  assert.equal(await mode(found), 0o644);
  assert.equal(await mode(join(p.root, 'run/foo/kept.conf')), 0o644);
  assert.equal(await mode(join(p.root, 'run/foo/a.conf')), 0o600);
});

test('the recursion of directories runs before the files, and does not affect them', async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'a.conf'), 'a');
  await p.write(join(p.root, 'etc/x/other'), '', 0o600);
  await p.config({
    command: 'true',
    directories: [{ path: '/etc/x', owner: 'keystone', perm: '0755', recurse: true }],
    config_files: [entry('a.conf', '/etc/x/a.conf')],
  });
  for (let run = 0; run < 2; run++) {
    await p.apply();
    assert.equal(await mode(join(p.root, 'etc/x/a.conf')), 0o600);
    assert.equal(await mode(join(p.root, 'etc/x/other')), 0o755);
  }
});

test('preserve_properties keeps mode and time, and loses set-id bits as in Kolla', async () => {
  await using p = await pod();
  const source = await p.write(join(p.configDir, 'a'), 'a', 0o4751);
  await chmod(source, 0o4751);
  await utimes(source, 1_700_000_000.123456, 1_700_000_000.123456);
  await p.config({
    command: 'true',
    config_files: [{ source: '/var/lib/kolla/config_files/a', dest: '/usr/bin/a', preserve_properties: true }],
  });
  await p.apply();
  const placed = join(p.root, 'usr/bin/a');
  assert.equal(await mode(placed), 0o751 & ~0o4000);
  assert.ok(Math.abs((await stat(placed)).mtimeMs - 1_700_000_000_123.456) < 0.01);
  assert.deepEqual(await p.apply(), { written: 0, unchanged: 1 });
  await utimes(source, 1_600_000_000, 1_600_000_000);
  assert.deepEqual(await p.apply(), { written: 1, unchanged: 0 });
});

test('with merge and preserve_properties a link stays a link, even a dangling one', async () => {
  await using p = await pod();
  await mkdir(join(p.configDir, 'd'));
  await symlink('nowhere', join(p.configDir, 'd/dangling'));
  await symlink('../a', join(p.configDir, 'd/link'));
  await p.write(join(p.configDir, 'a'), 'a');
  const source = '/var/lib/kolla/config_files/d';
  await p.config({
    command: 'true',
    config_files: [{ source, dest: '/etc/d', preserve_properties: true, merge: true }],
  });
  await p.apply();
  assert.equal(await readlink(join(p.root, 'etc/d/dangling')), 'nowhere');
  assert.equal(await readlink(join(p.root, 'etc/d/link')), '../a');
  const { ctimeMs } = await lstat(join(p.root, 'etc/d/link'));
  await p.apply();
  assert.equal((await lstat(join(p.root, 'etc/d/link'))).ctimeMs, ctimeMs);
});

test('a later entry that copies a directory without merge replaces all of it', async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'x/one'), '1');
  await p.write(join(p.configDir, 'y/two'), '2');
  await p.config({ command: 'true', config_files: [entry('x', '/etc/d'), entry('y', '/etc/d')] });
  await p.apply();
  assert.deepEqual(await readdir(join(p.root, 'etc/d')), ['two']);
  await p.config({ command: 'true', config_files: [entry('x', '/etc/d'), entry('y', '/etc/d', { merge: 1 })] });
  await p.apply();
  assert.deepEqual((await readdir(join(p.root, 'etc/d'))).toSorted(), ['one', 'two']);
});

test('a source with a trailing slash has no name to append to a directory', async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'd/x'), 'x');
  await p.config({ command: 'true', config_files: [entry('d/', '/etc/d/')] });
  await p.apply();
  assert.deepEqual(await readdir(join(p.root, 'etc/d')), ['x']);
});

test('a pattern with a trailing slash matches directories only', async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 's/d/x'), 'x');
  await p.write(join(p.configDir, 's/file'), 'file');
  await p.write(join(p.root, 'var/s/file'), 'file', 0o600);
  await p.write(join(p.root, 'var/s/d/x'), 'x', 0o600);
  await p.config({
    command: 'true',
    config_files: [entry('s/*/', '/etc/d/'), entry('s/file', '/var/s/installed')],
    permissions: [{ path: '/var/s/*/', owner: 'keystone', perm: '0640' }],
  });
  await p.apply();
  assert.deepEqual(await readdir(join(p.root, 'etc/d')), ['x']);
  const modes = ['d', 'd/x', 'file', 'installed'].map(
    async (name) => (await stat(join(p.root, 'var/s', name))).mode & 0o777,
  );
  assert.deepEqual(await Promise.all(modes), [0o750, 0o600, 0o600, 0o600]);
});

test('nothing is written when nothing changes, for every kind of entry', async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'd/x'), 'x');
  await writeFile(join(p.configDir, 'kept'), '');
  await p.config({
    command: 'true',
    files: [{ path: '/var/f', owner: 'keystone', perm: '0644' }],
    directories: [{ path: '/var/d', owner: 'keystone', perm: '0700', recurse: true }],
    config_files: [
      entry('d', '/etc/d'),
      { source: '/var/lib/kolla/config_files/kept', dest: '/etc/k', preserve_properties: true },
    ],
    permissions: [{ path: '/var', owner: 'keystone', recurse: true }],
  });
  const look = async () => {
    const names = (await readdir(p.root, { recursive: true })).toSorted();
    return await Promise.all(
      names.map(async (name) => {
        const { ino, mtimeMs, ctimeMs } = await lstat(join(p.root, name));
        return `${name} ${ino} ${mtimeMs} ${ctimeMs}`;
      }),
    );
  };
  await p.apply();
  const before = await look();
  await p.apply();
  assert.deepEqual(await look(), before);
});

test('a file with two names, one through a link, is installed once: the later entry applies, and a second run changes nothing', async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'a'), 'first');
  await p.write(join(p.configDir, 'b'), 'second');
  await mkdir(join(p.root, 'etc/svc'));
  await symlink('svc', join(p.root, 'etc/link'));
  await p.config({ command: 'true', config_files: [entry('a', '/etc/svc/x'), entry('b', '/etc/link/x')] });
  await p.apply({ image: p.root });
  assert.equal(await readFile(join(p.root, 'etc/svc/x'), 'utf8'), 'second');
  assert.deepEqual(await p.apply({ image: p.root }), { written: 0, unchanged: 1 });
});
