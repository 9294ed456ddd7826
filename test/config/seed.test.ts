import assert from 'node:assert/strict';
import { lstat, mkdir, readdir, readFile, readlink, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { accessOf } from '../../src/config/seed.ts';
import { entry, pod, type Pod } from './support.ts';

/** A pod whose image has a directory of Keystone, and the volume to which config.json is applied. */
async function withImage(): Promise<Pod & { readonly image: string; readonly seeded: () => Promise<unknown> }> {
  const p = await pod();
  const image = join(p.configDir, '../image');
  await p.write(join(image, 'etc/keystone/keystone.conf'), "the image's", 0o640);
  await p.write(join(image, 'etc/keystone/policy.d/default.json'), '{}', 0o644);
  await symlink('policy.d/default.json', join(image, 'etc/keystone/policy.json'));
  await mkdir(join(image, 'var/log/kolla'), { recursive: true });
  await p.config({
    command: 'true',
    config_files: [entry('keystone.conf', '/etc/keystone/keystone.conf')],
    directories: [{ path: '/var/log/kolla/keystone', owner: 'keystone', perm: '0755' }],
    permissions: [{ path: '/var/lib/keystone', owner: 'keystone' }],
  });
  await p.write(join(p.configDir, 'keystone.conf'), "the deployment's");
  return { ...p, image, seeded: () => p.apply({ image }), [Symbol.asyncDispose]: () => p[Symbol.asyncDispose]() };
}

test("a mounted directory gets the image's content, and then its configuration", async () => {
  await using p = await withImage();
  await p.seeded();
  const at = (path: string) => join(p.root, path);
  assert.equal(await readFile(at('etc/keystone/keystone.conf'), 'utf8'), "the deployment's");
  assert.equal(await readFile(at('etc/keystone/policy.d/default.json'), 'utf8'), '{}');
  assert.equal(await readlink(at('etc/keystone/policy.json')), 'policy.d/default.json');
  assert.equal((await stat(at('etc/keystone/policy.d/default.json'))).mode & 0o777, 0o644);
  assert.deepEqual(await readdir(at('var/lib/keystone')), [], 'a data volume is a directory, and empty');
});

test('a second run changes nothing after the service has changed its files', async () => {
  await using p = await withImage();
  await p.seeded();
  const seeded = join(p.root, 'etc/keystone/policy.d/default.json');
  await writeFile(seeded, 'edited');
  await utimes(seeded, 1000, 1000);
  const before = await look(p.root);
  await p.seeded();
  assert.deepEqual(await look(p.root), before);
  assert.equal(await readFile(seeded, 'utf8'), 'edited');
});

test("a directory copied without merge hides the image's content", async () => {
  for (const merge of [false, true]) {
    await using p = await withImage();
    await p.write(join(p.configDir, 'keystone/own.conf'), 'own');
    await p.config({ command: 'true', config_files: [entry('keystone', '/etc/keystone', { merge })] });
    await p.seeded();
    const names = await readdir(join(p.root, 'etc/keystone'));
    assert.deepEqual(names.toSorted(), merge ? ['keystone.conf', 'own.conf', 'policy.d', 'policy.json'] : ['own.conf']);
  }
});

test('a file that must be mounted itself exists for the mount, even when it is optional and missing', async () => {
  await using p = await withImage();
  await p.write(join(p.image, 'etc/sudoers'), 'root', 0o440);
  await p.write(join(p.image, 'usr/share/zone'), 'zone');
  await symlink('../usr/share/zone', join(p.image, 'etc/localtime'));
  await p.config({
    command: 'true',
    config_files: [
      entry('a', '/etc/a.cnf', { optional: true }),
      entry('b', '/etc/sudoers', { optional: true }),
      entry('c', '/etc/localtime', { optional: true }),
    ],
  });
  await p.seeded();
  assert.equal(await readFile(join(p.root, 'etc/a.cnf'), 'utf8'), '');
  assert.equal(await readFile(join(p.root, 'etc/sudoers'), 'utf8'), 'root');
  assert.equal((await lstat(join(p.root, 'etc/localtime'))).isFile(), true);
});

test("a destination below a link of the image is at the link's target, like the service's mount", async () => {
  await using p = await withImage();
  await mkdir(join(p.image, 'run'));
  await symlink('/run', join(p.image, 'var/run'));
  await p.config({
    command: 'true',
    config_files: [entry('keystone.conf', '/var/run/keystone/x.conf')],
    permissions: [{ path: '/var/run/key*', owner: 'keystone', perm: '0700' }],
  });
  await p.seeded();
  assert.equal((await lstat(join(p.root, 'run/keystone/x.conf'))).isFile(), true);
  assert.equal((await stat(join(p.root, 'run/keystone'))).mode & 0o777, 0o700);
  await assert.rejects(lstat(join(p.root, 'var/run')), { code: 'ENOENT' });
});

test("a volume's existing data stays, whether the image has a directory for it or not", async () => {
  await using p = await withImage();
  await p.write(join(p.root, 'var/lib/keystone/data.db'), 'data');
  await p.write(join(p.root, 'etc/keystone/policy.d/default.json'), 'older');
  await p.seeded();
  assert.equal(await readFile(join(p.root, 'var/lib/keystone/data.db'), 'utf8'), 'data');
  assert.equal(await readFile(join(p.root, 'etc/keystone/policy.d/default.json'), 'utf8'), 'older');
});

for (const [what, me, mode, expected] of [
  [
    'root keeps owners and modes of the image',
    { uid: 0, gid: 0, groups: [] },
    0o4755,
    { mode: 0o4755, uid: 7, gid: 8 },
  ],
  ['a group of the process is kept', { uid: 1, gid: 1, groups: [8] }, 0o2640, { mode: 0o640, uid: -1, gid: 8 }],
  [
    'permissions of another group are reduced to those of others',
    { uid: 1, gid: 1, groups: [] },
    0o640,
    { mode: 0o600, uid: -1, gid: 1 },
  ],
  [
    'our group gets the permissions of others',
    { uid: 1, gid: 1, groups: [] },
    0o6775,
    { mode: 0o755, uid: -1, gid: 1 },
  ],
] as const) {
  test(`seeded files: ${what}`, async () => {
    const stats = Object.assign(await stat('/'), { mode: 0o100000 | mode, uid: 7, gid: 8 });
    assert.deepEqual(accessOf(stats, me), expected);
  });
}

/** Everything in a tree that a write would change. */
async function look(root: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of (await readdir(root, { recursive: true })).toSorted()) {
    const { ino, mode, mtimeMs, ctimeMs } = await lstat(join(root, name));
    found[name] = `${ino} ${mode} ${mtimeMs} ${ctimeMs}`;
  }
  return found;
}
