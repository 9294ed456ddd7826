import assert from 'node:assert/strict';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { mountsFor, type Mount } from '../../src/config/mounts.ts';
import { readConfig } from '../../src/config/read/read.ts';
import { entry, pod, type Pod } from './support.ts';

async function mounts(p: Pod, document: object, root: string | undefined = p.root): Promise<readonly Mount[]> {
  await p.config({ command: 'true', ...document });
  const loaded = await readConfig(p.configDir, undefined);
  assert.ok(loaded);
  return mountsFor(loaded, { root });
}

const short = (found: readonly Mount[]) =>
  found.map(({ path, kind, reload, entries }) => `${path} ${kind} ${reload} ${entries.join(' ')}`);

test("a file's directory is mounted, and files in a mounted directory share it", async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'domains/x.conf'), '');
  const found = await mounts(p, {
    config_files: [
      entry('domains', '/etc/keystone/domains'),
      entry('keystone.conf', '/etc/keystone/keystone.conf'),
      entry('policy.yaml', '/etc/keystone/', { optional: true }),
      entry('wsgi.conf', '/etc/apache2/conf-enabled/wsgi.conf'),
    ],
    permissions: [{ path: '/etc/keystone/fernet-keys', owner: 'keystone', perm: '0770' }],
  });
  assert.deepEqual(short(found), [
    '/etc/apache2/conf-enabled directory live config_files[3]',
    '/etc/keystone directory live config_files[0] config_files[1] config_files[2] permissions[0]',
  ]);
  assert.deepEqual(
    found.map(({ data }) => data),
    [false, false],
  );
});

for (const dest of ['/etc/hosts', '/usr/bin/wrapper', '/root/.my.cnf', '/run_command', '/var/lib/x.conf', '/dev/a/b']) {
  test(`${dest} is in a system directory, so the file itself is mounted and needs a restart`, async () => {
    await using p = await pod();
    const found = await mounts(p, { config_files: [entry('a', dest)] });
    assert.deepEqual(short(found), [`${dest} file restart config_files[0]`]);
  });
}

test('a directory copied over a shared one is mounted as its subdirectories and files', async () => {
  await using p = await pod();
  await p.write(join(p.configDir, 'etc/nova/nova.conf'), '');
  await p.write(join(p.configDir, 'etc/my.cnf'), '');
  const found = await mounts(p, { config_files: [entry('etc', '/etc')] });
  assert.deepEqual(short(found), [
    '/etc/my.cnf file restart config_files[0]',
    '/etc/nova directory live config_files[0]',
  ]);
});

for (const source of ['d/', 'd/.', 'd//./'])
  test(`${source} is a directory without a name, whether it exists or not`, async () => {
    await using p = await pod();
    const config = { config_files: [entry(source, '/etc/nova/')] };
    const unseen = short(await mounts(p, config));
    await p.write(join(p.configDir, 'd/nova.conf'), '');
    assert.deepEqual(unseen, ['/etc/nova directory live config_files[0]']);
    assert.deepEqual(short(await mounts(p, config)), unseen);
  });

test("paths only in directories and permissions are the service's data", async () => {
  await using p = await pod();
  await p.write(join(p.root, 'etc/glance/paste.ini'), '');
  const document = {
    config_files: [entry('a.conf', '/etc/glance/a.conf')],
    directories: [{ path: '/var/lib/glance/images', owner: 'keystone', perm: '0755' }],
    permissions: [
      { path: '/var/lib/glance', owner: 'keystone' },
      { path: '/var/log/kolla/glance', owner: 'keystone' },
      { path: '/var/lib', owner: 'keystone' },
    ],
  };
  const found = await mounts(p, document);
  assert.deepEqual(
    found.map(({ path, data, seed }) => ({ path, data, seed })),
    [
      { path: '/etc/glance', data: false, seed: true },
      { path: '/var/lib/glance', data: true, seed: false },
      { path: '/var/log/kolla/glance', data: true, seed: false },
    ],
  );
  await p.config({ command: 'true', ...document });
  const offline = mountsFor((await readConfig(p.configDir, undefined))!, { root: undefined });
  assert.deepEqual(
    offline.map(({ seed }) => seed),
    [undefined, undefined, undefined],
  );
});

test("the image's links are followed, since mounts are at their targets", async () => {
  await using p = await pod();
  await mkdir(join(p.root, 'run'));
  await mkdir(join(p.root, 'var'));
  await symlink('/run', join(p.root, 'var/run'));
  const found = await mounts(p, {
    directories: [{ path: '/var/run/keystone', owner: 'keystone', perm: '0755' }],
    config_files: [entry('a', '/var/run/a'), entry('b', '/run/keystone/b')],
  });
  assert.deepEqual(short(found), [
    '/run/a file restart config_files[0]',
    '/run/keystone directory live config_files[1] directories[0]',
  ]);
});

test('a permissions pattern is expanded in the image; without a match its base directory is mounted', async () => {
  await using p = await pod();
  await p.write(join(p.root, 'var/lib/nova/x/file'), '');
  const document = {
    permissions: [
      { path: '/var/lib/nov*', owner: 'keystone' },
      { path: '/var/log/kolla/*/x.log', owner: 'keystone' },
    ],
  };
  assert.deepEqual(short(await mounts(p, document)), [
    '/var/lib/nova directory live permissions[0]',
    '/var/log/kolla directory live permissions[1]',
  ]);
});
