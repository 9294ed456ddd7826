import assert from 'node:assert/strict';
import { lstat, mkdir, readdir, readFile, readlink, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { entry, pod } from './support.ts';

test('a file gets its content, mode and owner, and its missing parents', async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'keystone.conf'), '[DEFAULT]\n');
  await p.config({ command: 'true', config_files: [entry('keystone.conf', '/etc/keystone/keystone.conf')] });
  assert.deepEqual(await p.apply(), { written: 1, unchanged: 0 });
  const placed = join(p.root, 'etc/keystone/keystone.conf');
  assert.equal(await readFile(placed, 'utf8'), '[DEFAULT]\n');
  assert.equal((await stat(placed)).mode & 0o7777, 0o600);
  assert.equal((await stat(placed)).uid, p.me.uid);
  assert.deepEqual(await readdir(join(p.root, 'etc/keystone')), ['keystone.conf']);
});

test('a file that is up to date is not rewritten', async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'a.conf'), 'a');
  await p.config({ command: 'true', config_files: [entry('a.conf', '/etc/a.conf')] });
  await p.apply();
  const placed = join(p.root, 'etc/a.conf');
  await utimes(placed, 1000, 1000);
  const { ino } = await stat(placed);
  assert.deepEqual(await p.apply(), { written: 0, unchanged: 1 });
  assert.equal((await stat(placed)).ino, ino);
  assert.equal((await stat(placed)).mtimeMs, 1_000_000);
});

test('a file with a wrong mode is replaced', async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'a.conf'), 'a');
  await p.write(join(p.root, 'etc/a.conf'), 'a', 0o644);
  await p.config({ command: 'true', config_files: [entry('a.conf', '/etc/a.conf')] });
  assert.deepEqual(await p.apply(), { written: 1, unchanged: 0 });
  assert.equal((await stat(join(p.root, 'etc/a.conf'))).mode & 0o7777, 0o600);
});

test('a dest with a trailing slash is a directory that receives the source', async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'a.conf'), 'a');
  await p.config({ command: 'true', config_files: [entry('a.conf', '/etc/a.d/')] });
  await p.apply();
  assert.equal(await readFile(join(p.root, 'etc/a.d/a.conf'), 'utf8'), 'a');
});

test('a glob copies every match, sorted by name', async () => {
  await using p = await pod();
  for (const name of ['b.conf', 'a.conf', '.hidden.conf', 'c.txt']) await p.write(join(p.configDir, name), name);
  await p.config({ command: 'true', config_files: [entry('*.conf', '/etc/d/')] });
  await p.apply();
  assert.deepEqual((await readdir(join(p.root, 'etc/d'))).toSorted(), ['a.conf', 'b.conf']);
  const wrote = p.logged().filter(({ msg }) => msg.startsWith('wrote '));
  assert.deepEqual(
    wrote.map(({ msg }) => msg.replace(/.*\//, '')),
    ['a.conf', 'b.conf'],
  );
});

test('a glob is expanded in a config directory given relative to the working directory', async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'a.conf'), 'a');
  await p.config({ command: 'true', config_files: [entry('*.conf', '/etc/d/')] });
  assert.deepEqual(await p.apply({ configDir: relative(process.cwd(), p.configDir) }), { written: 1, unchanged: 0 });
  assert.equal(await readFile(join(p.root, 'etc/d/a.conf'), 'utf8'), 'a');
});

for (const source of ['d/.', 'd/', '[d]/.'])
  test(`the content of the source ${source}, which has no name, is copied into dest`, async () => {
    await using p = await pod();
    await p.write(join(p.configDir, 'd/sub/a.conf'), 'a');
    await p.config({ command: 'true', config_files: [entry(source, '/etc/x/')] });
    await p.apply();
    assert.deepEqual(await readdir(join(p.root, 'etc/x')), ['sub']);
    assert.equal(await readFile(join(p.root, 'etc/x/sub/a.conf'), 'utf8'), 'a');
    assert.deepEqual(await p.apply(), { written: 0, unchanged: 1 });
  });

test("a directory is copied whole, without the kubelet's own links, and is searchable if readable", async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'domains/..2026/k.conf'), 'k');
  await symlink('..2026', join(p.configDir, 'domains/..data'));
  await symlink('..data/k.conf', join(p.configDir, 'domains/k.conf'));
  await p.config({ command: 'true', config_files: [entry('domains', '/etc/domains', { perm: '0640' })] });
  await p.apply();
  assert.deepEqual(await readdir(join(p.root, 'etc/domains')), ['k.conf']);
  assert.equal((await lstat(join(p.root, 'etc/domains/k.conf'))).mode & 0o7777, 0o640);
  assert.equal((await stat(join(p.root, 'etc/domains'))).mode & 0o7777, 0o750);
});

test('a link at the destination is replaced, and its target is unchanged', async () => {
  await using p = await pod();
  const target = await p.write(join(p.root, 'precious'), 'old');
  await symlink(target, join(p.root, 'etc/a.conf'));
  await p.write(join(p.configDir, 'a.conf'), 'new');
  await p.config({ command: 'true', config_files: [entry('a.conf', '/etc/a.conf')] });
  await p.apply();
  assert.equal(await readFile(target, 'utf8'), 'old');
  assert.equal(await readFile(join(p.root, 'etc/a.conf'), 'utf8'), 'new');
  await assert.rejects(readlink(join(p.root, 'etc/a.conf')), { code: 'EINVAL' });
});

test('a missing optional source is logged and skipped', async () => {
  await using p = await pod();
  await p.config({ command: 'true', config_files: [entry('no.conf', '/etc/no.conf', { optional: true })] });
  assert.deepEqual(await p.apply(), { written: 0, unchanged: 0 });
  assert.ok(p.logged().some(({ msg }) => msg.includes('/var/lib/kolla/config_files/no.conf')));
});

test('a temporary file of a killed run is removed by the next write of the same file', async () => {
  await using p = await pod();
  const left = await p.write(join(p.root, 'etc/.a.conf.kolla-0a1b2c'), 'half');
  await utimes(left, 1000, 1000);
  await p.write(join(p.configDir, 'a.conf'), 'a');
  await p.config({ command: 'true', config_files: [entry('a.conf', '/etc/a.conf')] });
  await p.apply();
  assert.deepEqual((await readdir(join(p.root, 'etc'))).toSorted(), ['a.conf', 'group', 'passwd']);
});

test('directories are created, and permissions set below them without following links', async () => {
  await using p = await pod();
  const outside = await p.write(join(p.root, 'outside'), 'x', 0o600);
  await mkdir(join(p.root, 'var/log/kolla'), { recursive: true });
  await writeFile(join(p.root, 'var/log/kolla/a.log'), '', { mode: 0o600 });
  await symlink(outside, join(p.root, 'var/log/kolla/link'));
  await p.config({
    command: 'true',
    directories: [{ path: '/run/keystone', owner: 'keystone', perm: '0750' }],
    permissions: [{ path: '/var/log/kol*', owner: 'keystone:keystone', perm: '0644', recurse: true }],
  });
  await p.apply();
  assert.equal((await stat(join(p.root, 'run/keystone'))).mode & 0o7777, 0o750);
  assert.equal((await stat(join(p.root, 'var/log/kolla'))).mode & 0o7777, 0o755);
  assert.equal((await stat(join(p.root, 'var/log/kolla/a.log'))).mode & 0o7777, 0o644);
  assert.equal((await stat(outside)).mode & 0o7777, 0o600);
});

test('an unknown section is logged once, by name', async () => {
  await using p = await pod();
  await p.config({ command: 'true', notes: [], files: [] });
  await p.apply();
  const warnings = p.logged().filter(({ level }) => level === 'warn');
  assert.equal(warnings.length, 1);
  assert.match(warnings[0]!.msg, /unknown section: notes$/);
});
