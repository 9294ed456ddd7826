import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { privateDirectory } from '../../../tools/directory.ts';
import { fixture, planOf } from './fixtures.ts';

const CONFIG_FILES = '/var/lib/kolla/config_files';

/** A deployment's directory, and an image unpacked next to it. */
async function workplace() {
  const directory = await privateDirectory('volumes');
  const write = async (path: string, content: string | object) => {
    await mkdir(dirname(join(directory.path, path)), { recursive: true });
    await writeFile(join(directory.path, path), typeof content === 'string' ? content : JSON.stringify(content));
    return join(directory.path, path);
  };
  return {
    path: directory.path,
    write,
    config: (document: object) => write('config/config.json', { command: 'true', ...document }),
    async image() {
      await write('image/etc/passwd', 'root:x:0:0::/:/bin/sh\nkeystone:x:1234:1234::/:/bin/sh\n');
      await write('image/etc/group', 'root:x:0:\nkeystone:x:1234:\n');
      return join(directory.path, 'image');
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

const copied = (name: string, dest: string, owner = 'keystone') => ({
  source: `${CONFIG_FILES}/${name}`,
  dest,
  owner,
  perm: '0600',
});

test("the Pod runs as its service's user in the group kolla, and each container is `restricted`", async () => {
  const { spec } = await planOf(fixture('nova-api'));
  assert.ok(spec);
  assert.deepEqual(spec.securityContext, {
    runAsNonRoot: true,
    runAsUser: 42_436,
    runAsGroup: 42_436,
    fsGroup: 42_400,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  for (const { securityContext } of [...spec.initContainers, ...spec.containers])
    assert.deepEqual(securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
});

test('only the init container has the ConfigMap, and the path of the tree', async () => {
  const { spec } = await planOf(fixture('nova-api'));
  const [[init], [service]] = [spec?.initContainers ?? [], spec?.containers ?? []];
  assert.deepEqual(init?.command, ['kolla-init', '--root', '/kolla']);
  assert.ok(init.volumeMounts.some(({ mountPath }) => mountPath === CONFIG_FILES));
  assert.ok(!service?.volumeMounts.some(({ mountPath }) => mountPath.startsWith(CONFIG_FILES)));
});

test('the volume for installed files is in memory, sized by config.json and the image', async () => {
  await using place = await workplace();
  const config = await place.config({ config_files: [copied('keystone.conf', '/etc/keystone/keystone.conf')] });
  const sizeLimit = async (imageRoot?: string) => {
    const { spec } = await planOf(config, { configDir: dirname(config), imageRoot });
    const tree = spec?.volumes.find(({ name }) => name === 'kolla');
    assert.ok(tree && 'emptyDir' in tree);
    assert.equal(tree.emptyDir.medium, 'Memory');
    return tree.emptyDir.sizeLimit;
  };
  const image = await place.image();
  const large = 'x'.repeat(10 * 1024 * 1024);
  assert.equal(await sizeLimit(), '64Mi', 'an unknown image');
  assert.equal(await sizeLimit(image), '16Mi', 'the minimum');
  await place.write('config/keystone.conf', large);
  assert.equal(await sizeLimit(image), '32Mi', 'twice the source');
  await place.write('image/etc/keystone/large', large);
  assert.equal(await sizeLimit(image), '64Mi', 'plus twice the seeded content');
});

test('users and content come from the image, if it is available', async () => {
  await using place = await workplace();
  const config = await place.config({ config_files: [copied('keystone.conf', '/etc/keystone/keystone.conf')] });
  await place.write('image/etc/keystone/policy.json', '{}');
  const { user, entries } = await planOf(config, { imageRoot: await place.image() });
  assert.equal(user?.uid, 1234);
  assert.equal(entries[0]?.seed, true);
  assert.equal((await planOf(config)).entries[0]?.seed, undefined, 'unknown without an image');
});

test("a directory is mounted at the target of the image's link", async () => {
  await using place = await workplace();
  const config = await place.config({ permissions: [{ path: '/var/run/nova', owner: 'keystone' }] });
  const image = await place.image();
  await mkdir(join(image, 'var'));
  await mkdir(join(image, 'run'));
  await symlink('/run', join(image, 'var/run'));
  const { spec } = await planOf(config, { imageRoot: image });
  const mounted = spec?.containers[0].volumeMounts.find(({ mountPath }) => mountPath === '/run/nova');
  assert.deepEqual(mounted, { name: 'run-nova', mountPath: '/run/nova' });
});

test("without an image a directory is mounted at the target of Kolla's links", async () => {
  await using place = await workplace();
  const permissions = ['/var/run/nova', '/var/lock/nova', '/varnish'].map((path) => ({ path, owner: 'nova' }));
  const config = await place.config({ config_files: [copied('a.sh', '/bin/a.sh', 'nova')], permissions });
  const { layout } = await planOf(config);
  const paths = layout.places.map(({ path }) => path);
  assert.deepEqual(paths.join(' '), '/run/kolla /run/lock/nova /run/nova /tmp /usr/bin/a.sh /var/log/kolla /varnish');
});

test('a file in a shared directory is mounted individually, and needs a restart to be updated', async () => {
  const { entries } = await planOf(fixture('keystone'));
  assert.deepEqual([entries[0]?.mounts, entries[0]?.reload], [['/usr/bin/keystone-startup.sh'], 'restart']);
  assert.deepEqual([entries[1]?.mounts, entries[1]?.reload], [['/etc/keystone'], 'live']);
});

test('an existing directory as a source is mounted live, and nothing is written', async () => {
  await using place = await workplace();
  const config = await place.config({ config_files: [copied('ceph', '/etc/ceph', 'glance')] });
  const reload = async () => (await planOf(config, { configDir: dirname(config) })).entries[0]?.reload;
  assert.equal(await reload(), 'restart', 'it may be a file');
  await place.write('config/ceph/ceph.conf', '[global]\n');
  assert.equal(await reload(), 'live');
  assert.deepEqual(await readdir(join(place.path, 'config')), ['ceph', 'config.json']);
});

test('a copied directory is mounted at the same paths whether or not its source exists', async () => {
  await using place = await workplace();
  const config_files = [
    copied('themes', '/etc/openstack-dashboard/themes', 'horizon'),
    copied('ceph', '/etc/ceph', 'horizon'),
    copied('certs/*', '/etc/horizon/certs/', 'horizon'),
  ];
  const config = await place.config({ config_files });
  const paths = async () =>
    (await planOf(config, { configDir: dirname(config) })).layout.places.map(({ path }) => path).join(' ');
  const unseen = await paths();
  assert.equal(unseen, '/etc/ceph /etc/horizon/certs /etc/openstack-dashboard /run/kolla /tmp /var/log/kolla');
  for (const file of ['themes/a/b.css', 'ceph/ceph.conf', 'certs/a.pem']) await place.write(`config/${file}`, '');
  assert.equal(await paths(), unseen);
});

test('a source copied over a system directory must be readable, since its files are mounted individually', async () => {
  await using place = await workplace();
  const config = await place.config({ config_files: [copied('etc', '/etc', 'glance')] });
  const plan = () => planOf(config, { configDir: dirname(config) });
  assert.match(
    (await plan()).problems[0] ?? '',
    /^config_files\[0\]: its source can't be seen.*put the source next to/,
  );
  await place.write('config/etc/glance/a.conf', '');
  const { problems, layout } = await plan();
  assert.deepEqual(problems, []);
  assert.ok(layout.places.some(({ path }) => path === '/etc/glance'));
});

test('variables come from the downward API; HOSTNAME exists already; others are placeholders', async () => {
  const { spec } = await planOf(fixture('nova-api'), { environment: ['HOSTNAME', 'POD_IP', 'REGION'] });
  assert.deepEqual(spec?.initContainers[0].env, [
    { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    { name: 'REGION', value: 'VALUE' },
  ]);
});

test('an owner that needs root is reported with its entry and the fix, except for world-readable files', async () => {
  const { problems, entries, spec } = await planOf(fixture('two-users'));
  assert.equal(problems.length, 1);
  assert.match(problems[0] ?? '', /^config_files\[1\]: 'cinder' is 42407:42407.*runAsUser: 42407/);
  assert.deepEqual(
    entries.map(({ ownerIs }) => ownerIs),
    ['my user', undefined, 'my user', 'readable by all'],
  );
  assert.ok(spec, 'the rest is planned');
});

test('unknown owners are one ConfigError with all of them', async () => {
  await using place = await workplace();
  const config_files = [copied('a', '/etc/a/a', 'keystnoe'), copied('b', '/etc/a/b', 'vnoa'), copied('c', '/etc/a/c')];
  const config = await place.config({ config_files });
  await assert.rejects(
    planOf(config, { user: 'keystone' }),
    /config_files\[0\].owner.*did you mean 'keystone'.*config_files\[1\].owner.*did you mean 'nova'/,
  );
});

test('an image without accounts is reported', async () => {
  await using place = await workplace();
  await assert.rejects(planOf(fixture('keystone'), { imageRoot: place.path }), /--image .* is not an unpacked image/);
});

test('a path below a private directory of the image is a problem, since the mount is unreachable', async () => {
  await using place = await workplace();
  const image = await place.image();
  await place.write('image/root/.ssh/known_hosts', '');
  await place.write('image/etc/closed/sub/x', '');
  await chmod(join(image, 'root'), 0o700);
  await chmod(join(image, 'etc/closed'), 0o750);
  const config = await place.config({
    config_files: [
      copied('config', '/root/.ssh/config'),
      copied('x', '/etc/closed/sub/x'),
      copied('keystone.conf', '/etc/keystone/keystone.conf'),
    ],
  });
  const { problems } = await planOf(config, { imageRoot: image });
  assert.equal(problems.length, 2, problems.join('\n'));
  assert.match(problems[0]!, /^config_files\[0\]: \/root is closed to uid 1234 in the image.*another dest/);
  assert.match(problems[1]!, /^config_files\[1\]: \/etc\/closed is closed to uid 1234/);
  const unseen = await planOf(config);
  assert.match(unseen.problems.join('\n'), /^config_files\[0\]: \/root is closed to uid 42425[^\n]*$/, 'in any image');
});
