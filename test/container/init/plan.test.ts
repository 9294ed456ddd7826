import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { load } from 'js-yaml';
import type { PodSpec } from '../../../src/config/volumes/index.ts';
import { fixture } from '../../config/volumes/fixtures.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { runHelper } from '../../support/helper.ts';

const plan = (...args: string[]) => runHelper('kolla-init', ['plan', ...args]);

interface Data {
  readonly satisfied: boolean;
  readonly problems: readonly string[];
  readonly entries: readonly object[];
  readonly spec: PodSpec;
}

test('the YAML equals the JSON, with comments on details', async () => {
  const yaml = await plan(fixture('keystone'));
  assert.equal(yaml.code, 0, yaml.stderr);
  const data = JSON.parse((await plan(fixture('keystone'), '-o', 'json')).stdout) as Data;
  assert.deepEqual(load(yaml.stdout), { spec: data.spec });
  assert.deepEqual(Object.keys(data), [
    'version',
    'config',
    'satisfied',
    'problems',
    'user',
    'entries',
    'mounts',
    'spec',
  ]);
  assert.equal(data.entries.length, 8);
  assert.match(yaml.stdout, /# .*restart\n +- .*mountPath: \/usr\/bin\/keystone-startup.sh, subPath/);
  assert.match(
    yaml.stdout,
    /# .*permissions\[2\] names \/etc\/keystone\/fernet-keys.*\n +- .*mountPath: \/etc\/keystone,/,
  );
  assert.match(yaml.stdout, /# .*ConfigMap and Secret.*\n +- .*name: config-files/);
});

test("for the deployment's CA certificates, the plan mounts the store of the image's distribution", async () => {
  await using directory = await privateDirectory('plan');
  await mkdir(join(directory.path, 'etc'));
  await writeFile(join(directory.path, 'etc/passwd'), 'root:x:0:0:::\nkeystone:x:1:1:::\n');
  await writeFile(join(directory.path, 'etc/group'), 'root:x:0:\nkeystone:x:1:\nkolla:x:2:\n');
  await writeFile(join(directory.path, 'etc/redhat-release'), '');
  const paths = async (...args: string[]) => {
    const { stdout, stderr } = await plan(fixture('keystone'), ...args);
    const { spec } = load(stdout, { filename: stderr }) as { spec: PodSpec };
    return spec.containers[0].volumeMounts.map(({ mountPath }) => mountPath);
  };
  const debian = await paths();
  assert.ok(debian.includes('/etc/ssl/certs') && debian.includes('/usr/local/share/ca-certificates'));
  const redhat = await paths('--image', directory.path);
  assert.ok(redhat.includes('/etc/pki/ca-trust/extracted') && !redhat.includes('/etc/ssl/certs'));
});

test("if config.json installs CA certificates, the plan mounts the image's store", async () => {
  const { stdout } = await plan(fixture('mariadb-tls'), '-o', 'json');
  const { spec } = JSON.parse(stdout) as Data;
  const mounts = spec.containers[0].volumeMounts.map(({ mountPath }) => mountPath);
  assert.ok(mounts.includes('/etc/ssl/certs') && mounts.includes('/usr/local/share/ca-certificates'), mounts.join());
});

for (const [service, command] of [
  ['multipathd', '/sbin/multipathd -d'],
  ['cron', 'cron -f'],
  ['named', '/usr/sbin/named -u bind'],
  ['libvirt', '/usr/local/bin/kolla_nova_libvirt_start'],
] as const)
  test(`exits with code 1 for ${service}, whose files other than the shared log directory are root's, and suggests --user`, async () => {
    await using directory = await privateDirectory('plan');
    const config = join(directory.path, 'config.json');
    const source = '/var/lib/kolla/config_files/a.conf';
    const document = {
      command,
      config_files: [{ source, dest: '/etc/a.conf', owner: 'root', perm: '0600' }],
      permissions: [{ path: '/var/log/kolla', owner: 'fluentd:kolla', perm: '2775' }],
    };
    await writeFile(config, JSON.stringify(document));
    const { code, stdout, stderr } = await plan(config);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /names no owner but root .*pass --user NAME/);
    const given = await plan(config, '--user', 'nova');
    assert.equal(given.code, 0, given.stderr);
    assert.match(given.stdout, /runAsUser: 42436/);
  });

test('variables of overlays come from the downward API, and kolla-pod.yaml from the ConfigMap', async () => {
  await using directory = await privateDirectory('plan');
  const own = join(directory.path, 'own.yaml');
  const ini = [{ file: '/etc/nova/nova.conf', key: 'my_ip', value: '$(POD_IP)' }];
  await writeFile(own, JSON.stringify({ overlays: { ini } }));
  const { stdout } = await plan(fixture('nova-api'), '--config', own, '-o', 'json');
  const [init] = (JSON.parse(stdout) as Data).spec.initContainers;
  assert.deepEqual(init.env, [{ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }]);
  assert.deepEqual(init.command?.slice(-2), ['--config', '/var/lib/kolla/config_files/kolla-pod.yaml']);
});

test('exits with code 1 for entries impossible without root, and prints no spec; each entry is a line with the method or the reason', async () => {
  const { code, stdout, stderr } = await plan(fixture('two-users'));
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr.split('\n')[0] ?? '', /config_files\[1\]: 'cinder' is 42407:42407.*runAsUser: 42407/);
  const explained = await plan(fixture('two-users'), '--explain');
  assert.equal(explained.code, 1);
  const lines = explained.stdout.trimEnd().split('\n');
  assert.equal(lines.length, 5);
  assert.match(lines[1] ?? '', /^config_files\[0\] +\/etc\/nova\/nova.conf .*mount \/etc\/nova; .*mode 0600; .*live$/);
  assert.match(lines[2] ?? '', /^config_files\[1\].*impossible: 'cinder'/);
  const data = await plan(fixture('two-users'), '-o', 'json');
  const { satisfied, problems } = JSON.parse(data.stdout) as Data;
  assert.deepEqual([data.code, satisfied, problems.length], [1, false, 1]);
});

test('exits with code 65 for an invalid document, and reports all problems', async () => {
  await using directory = await privateDirectory('plan');
  const config = join(directory.path, 'config.json');
  await writeFile(config, JSON.stringify({ config_files: [{ source: 'x', dst: '/y' }], directories: 3 }));
  const { code, stdout, stderr } = await plan(config);
  assert.deepEqual([code, stdout], [65, '']);
  assert.match(stderr, /command: is missing/);
  assert.match(stderr, /did you mean 'dest'/);
  assert.match(stderr, /directories: must be a list/);
});

test('takes the directory of config.json', async () => {
  await using directory = await privateDirectory('plan');
  await writeFile(join(directory.path, 'config.json'), JSON.stringify({ command: 'true' }));
  const named = await plan(join(directory.path, 'config.json'), '--user', 'nova');
  const { code, stdout, stderr } = await plan(directory.path, '--user', 'nova');
  assert.deepEqual([code, stdout], [0, named.stdout], stderr);
});

test('exits with code 65 for a missing config.json, and the error shows how to name one', async () => {
  await using directory = await privateDirectory('plan');
  const { code, stderr } = await plan('--config-dir', directory.path);
  assert.equal(code, 65);
  assert.match(stderr, /kolla-init plan CONFIG/);
});
