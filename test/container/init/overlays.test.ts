import assert from 'node:assert/strict';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { privateDirectory } from '../../../tools/directory.ts';
import { logLines, runHelper, startHelper } from '../../support/helper.ts';
import { until } from '../../support/until.ts';
const NOVA = '[DEFAULT]\nmy_ip = 127.0.0.1\n';

/** A pod with a nova.conf, a missing optional directory, and a kolla-pod.yaml. */
async function tree(overlays: unknown) {
  const directory = await privateDirectory('overlay');
  const [root, config] = [join(directory.path, 'root'), join(directory.path, 'config')];
  await mkdir(join(root, 'etc'), { recursive: true });
  await mkdir(config);
  const { uid, gid } = userInfo();
  await writeFile(join(root, 'etc/passwd'), `nova:x:${uid}:${gid}::/:/bin/sh\n`);
  await writeFile(join(root, 'etc/group'), `nova:x:${gid}:\n`);
  await writeFile(join(config, 'nova.conf'), NOVA);
  const file = (name: string, dest: string, more = {}) => ({
    source: `/var/lib/kolla/config_files/${name}`,
    dest,
    owner: 'nova',
    perm: '0600',
    ...more,
  });
  const config_files = [file('nova.conf', '/etc/nova/nova.conf'), file('extra', '/etc/nova/extra', { optional: true })];
  await writeFile(join(config, 'config.json'), JSON.stringify({ command: 'true', config_files }));
  const podFile = join(directory.path, 'kolla-pod.yaml');
  await writeFile(podFile, JSON.stringify({ overlays }));
  return {
    source: join(config, 'nova.conf'),
    nova: join(root, 'etc/nova/nova.conf'),
    args: ['--root', root, '--config-dir', config, '--config', podFile],
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

test('each replica gets its own address from one ConfigMap, and a second run changes nothing', async () => {
  await using pod = await tree({ ini: [{ file: '/etc/nova/nova.conf', key: 'my_ip', value: '$(POD_IP)' }] });
  for (const POD_IP of ['10.0.0.3', '10.0.0.4']) {
    assert.equal((await runHelper('kolla-init', pod.args, { env: { POD_IP } })).code, 0);
    assert.equal(await readFile(pod.nova, 'utf8'), `[DEFAULT]\nmy_ip = ${POD_IP}\n`);
  }
  const { mtimeMs } = await stat(pod.nova);
  const again = await runHelper('kolla-init', pod.args, { env: { POD_IP: '10.0.0.4' } });
  assert.match(again.stderr, /0 files installed, 1 unchanged/);
  assert.equal((await stat(pod.nova)).mtimeMs, mtimeMs);
});

test('watch and check see the same values', async () => {
  await using pod = await tree({ ini: [{ file: '/etc/nova/nova.conf', key: 'my_ip', value: '$(POD_IP)' }] });
  const env = { POD_IP: '10.0.0.3' };
  await using watch = await startHelper('kolla-init', ['watch', ...pod.args, '--settle', '10ms'], { env });
  const becomes = (wanted: string) =>
    until(`${wanted} in nova.conf`, async () => {
      if (watch.child.exitCode !== null) throw new Error(`watch exited with ${watch.child.exitCode}`);
      return (await readFile(pod.nova, 'utf8').catch(() => '')) === wanted || undefined;
    });
  await becomes('[DEFAULT]\nmy_ip = 10.0.0.3\n');
  await writeFile(pod.source, `${NOVA}debug = true\n`);
  await becomes('[DEFAULT]\nmy_ip = 10.0.0.3\ndebug = true\n');
  assert.equal((await runHelper('kolla-init', ['check', ...pod.args], { env })).code, 0);
});

for (const [name, overlays, message] of [
  [
    'a name that is not set',
    { ini: [{ file: '/etc/nova/nova.conf', key: 'my_ip', value: '$(POD_IP)' }] },
    /kolla-pod.yaml: overlays.ini\[0\].value: \$\(POD_IP\) is not set; give the container an env of that name/,
  ],
  [
    'a file that no entry installs',
    { text: [{ file: '/etc/nova/nova.cnf' }] },
    /kolla-pod.yaml: overlays.text\[0\].file: no entry of config_files installs \/etc\/nova\/nova.cnf; did you mean '\/etc\/nova\/nova.conf'\?/,
  ],
  [
    'a value with a line break',
    { ini: [{ file: '/etc/nova/nova.conf', key: 'my_ip', value: 'a\nb' }] },
    /overlays.ini\[0\].value: has a line break/,
  ],
] as const) {
  test(`exits with code 65 for ${name}, without any change`, async () => {
    await using pod = await tree(overlays);
    const { code, stderr } = await runHelper('kolla-init', pod.args);
    assert.equal(code, 65, stderr);
    assert.match(logLines(stderr)[0]?.msg ?? '', message);
    await assert.rejects(stat(pod.nova), { code: 'ENOENT' });
  });
}

test('an overlay of a missing optional file does nothing', async () => {
  await using pod = await tree({ text: [{ file: '/etc/nova/extra' }, { file: '/etc/nova/extra/deep.conf' }] });
  const { code, stderr } = await runHelper('kolla-init', pod.args);
  assert.equal(code, 0, stderr);
});

test('no message contains a value from a Secret', async () => {
  const ini = [
    { file: '/etc/nova/nova.conf', section: 'database', key: 'connection', value: 'x://nova:$(DB_PASSWORD)@db' },
  ];
  await using pod = await tree({ allow: ['DB_PASSWORD'], ini });
  for (const env of [{ DB_PASSWORD: 'hunter2' }, { DB_PASSWORD: 'hunter2\n' }]) {
    const { stdout, stderr } = await runHelper('kolla-init', [...pod.args, '--log-level', 'debug'], { env });
    assert.doesNotMatch(stdout + stderr, /hunter2/);
  }
  assert.match(await readFile(pod.nova, 'utf8'), /connection = x:\/\/nova:hunter2@db/);
});

test('a password of a mounted Secret is installed, followed by watch, and shown by neither check nor log', async () => {
  await using pod = await tree({
    passwords: [
      {
        file: '/etc/nova/nova.conf',
        name: 'nova_database_password',
        source: '/var/lib/kolla/config_files/.passwords/nova_database_password',
        secret: 'openstack-passwords',
        key: 'nova',
      },
    ],
  });
  const mounted = join(dirname(pod.source), '.passwords/nova_database_password');
  const contentOf = (password: string) => `[database]\nconnection = mysql://nova:${password}@db/nova\n`;
  await writeFile(pod.source, contentOf('$(password:nova_database_password:url)'));
  const missing = await runHelper('kolla-init', pod.args);
  assert.equal(missing.code, 65);
  assert.match(
    missing.stderr,
    /overlays\.passwords\[0\]: the password nova_database_password: there is no file .*; mount key nova of the Secret openstack-passwords there/,
  );

  await mkdir(dirname(mounted));
  await writeFile(mounted, 'hunter/2');
  assert.equal((await runHelper('kolla-init', pod.args)).code, 0);
  assert.equal(await readFile(pod.nova, 'utf8'), contentOf('hunter%2F2'));

  await writeFile(mounted, 'hunter/3');
  for (const args of [[], ['-o', 'json']]) {
    const checked = await runHelper('kolla-init', ['check', ...pod.args, ...args]);
    assert.equal(checked.code, 1);
    assert.match(checked.stdout, /<digest:/);
    assert.doesNotMatch(checked.stdout + checked.stderr, /hunter/);
  }

  const logFile = join(dirname(dirname(pod.source)), 'watch.log');
  await using watch = await startHelper('kolla-init', ['watch', ...pod.args, '--settle', '10ms'], { logFile });
  const becomes = (password: string) =>
    until(`${password} in nova.conf`, async () => {
      if (watch.child.exitCode !== null) throw new Error(`watch exited with ${watch.child.exitCode}`);
      return (await readFile(pod.nova, 'utf8').catch(() => '')) === contentOf(password) || undefined;
    });
  await becomes('hunter%2F3');
  await writeFile(mounted, 'hunter/4');
  await becomes('hunter%2F4');
  await watch.stop();
  const logged = await readFile(logFile, 'utf8');
  assert.match(logged, /nova\.conf/);
  assert.doesNotMatch(logged, /hunter/);
});
