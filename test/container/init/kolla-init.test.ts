import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { kubeSource } from '../../../src/kube/source.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { HELPERS, logLines, runHelper } from '../../support/helper.ts';
import { freePort } from '../../../tools/port.ts';
import { run } from '../../../tools/process.ts';
import { kubeconfigOf } from '../../support/kubeconfig.ts';
import { listenTcp } from '../../support/server.ts';

async function tree() {
  const directory = await privateDirectory('init');
  const [root, config] = [join(directory.path, 'root'), join(directory.path, 'config')];
  await mkdir(join(root, 'etc'), { recursive: true });
  await mkdir(config);
  const { uid, gid } = userInfo();
  await writeFile(join(root, 'etc/passwd'), `keystone:x:${uid}:${gid}::/:/bin/sh\n`);
  await writeFile(join(root, 'etc/group'), `keystone:x:${gid}:\n`);
  await writeFile(join(config, 'keystone.conf'), '[DEFAULT]\n');
  const source = '/var/lib/kolla/config_files/keystone.conf';
  const dest = '/etc/keystone/keystone.conf';
  await writeFile(
    join(config, 'config.json'),
    JSON.stringify({ command: 'true', config_files: [{ source, dest, owner: 'keystone', perm: '0600' }] }),
  );
  return {
    root,
    args: ['--root', root, '--config-dir', config],
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

test('exits with code 65 for an invalid certificate before any file is changed', async () => {
  await using pod = await tree();
  const directory = join(pod.args.at(-1)!, 'ca-certificates');
  await mkdir(directory);
  await writeFile(join(directory, 'own.crt'), 'no certificate');
  const { code, stderr } = await runHelper('kolla-init', pod.args);
  assert.equal(code, 65, stderr);
  assert.match(stderr, /own\.crt: it contains no PEM certificate/);
  await assert.rejects(stat(join(pod.root, 'etc/keystone')), { code: 'ENOENT' });
});

test('check exits with code 65 for an invalid certificate too, and names its file', async () => {
  await using pod = await tree();
  const directory = join(pod.args.at(-1)!, 'ca-certificates');
  await mkdir(directory);
  await writeFile(join(directory, 'own.crt'), 'no certificate');
  const { code, stderr } = await runHelper('kolla-init', ['check', ...pod.args]);
  assert.equal(code, 65, stderr);
  assert.match(stderr, /own\.crt: it contains no PEM certificate/);
});

test('files are installed first, then the wait, then one line is logged', async () => {
  await using pod = await tree();
  await using server = await listenTcp(() => {});
  const { code, stdout, stderr } = await runHelper('kolla-init', [
    ...pod.args,
    '--wait',
    `tcp://127.0.0.1:${server.port}`,
  ]);
  assert.equal(code, 0, stderr);
  assert.equal(stdout, '');
  const messages = logLines(stderr).map(({ msg }) => msg);
  assert.match(messages[0] ?? '', /^wrote .*\/etc\/keystone\/keystone.conf$/);
  assert.match(messages.at(-1) ?? '', /^ready after .*: 1 file installed, 0 unchanged; 1 dependency ready$/);
  assert.equal((await stat(join(pod.root, 'etc/keystone/keystone.conf'))).mode & 0o777, 0o600);
});

test('an invalid dependency is reported before any file is touched', async () => {
  await using pod = await tree();
  const { code, stderr } = await runHelper('kolla-init', [...pod.args, '--wait', 'jbo/keystone-db-sync']);
  assert.equal(code, 64);
  assert.match(logLines(stderr)[0]?.msg ?? '', /did you mean 'job'\?/);
  await assert.rejects(readFile(join(pod.root, 'etc/keystone/keystone.conf')), { code: 'ENOENT' });
});

test('dependencies come from the environment, separated by commas, without duplicates', async () => {
  await using pod = await tree();
  await using server = await listenTcp(() => {});
  const one = `tcp://127.0.0.1:${server.port}`;
  const { code, stderr } = await runHelper('kolla-init', pod.args, { env: { KOLLA_INIT_WAIT: `${one}, ${one}` } });
  assert.equal(code, 0, stderr);
  assert.equal(logLines(stderr).filter(({ msg }) => msg === `waiting for ${one}`).length, 1);
});

for (const [name, args, code] of [
  ['a missing named config.json exits with 65', ['--config-json', '/no/such.json'], 65],
  ['a missing root exits with 65', ['--root', '/no/such/root'], 65],
  ['a wait for an API object without credentials exits with 65', ['--wait', 'job/x'], 65],
  ['an empty deadline exits with 64', ['--timeout', '0'], 64],
  ['an argument that is not an option exits with 64', ['keystone'], 64],
] as const) {
  test(name, async () => {
    await using pod = await tree();
    const own = args[0] === '--root' ? pod.args.slice(2) : pod.args;
    const finished = await runHelper('kolla-init', [...own, ...args], { env: { HOME: pod.root } });
    assert.equal(finished.code, code, finished.stderr);
    assert.equal(logLines(finished.stderr).filter(({ level }) => level === 'error').length, 1);
  });
}

test('exits with code 75 at the deadline', async () => {
  await using pod = await tree();
  const args = [...pod.args, '--wait', `tcp://127.0.0.1:${await freePort()}`, '--timeout', '4s'];
  // Concurrently, because each takes until the deadline, which leaves a busy machine time for the first attempt.
  const [{ code, stderr }, inCluster] = await Promise.all([
    runHelper('kolla-init', args),
    runHelper('kolla-init', args, { env: { KUBERNETES_SERVICE_HOST: '127.0.0.1' } }),
  ]);
  assert.equal(code, 75, stderr);
  assert.match(
    logLines(stderr).at(-1)?.msg ?? '',
    /not ready after 4s: tcp:\S+ \(connection refused by 127\.0\.0\.1:\d+ \(ECONNREFUSED\), for [\d.]+m?s\)$/,
  );
  const inClusterMsg = logLines(inCluster.stderr).at(-1)?.msg ?? '';
  assert.match(inClusterMsg, /ECONNREFUSED\), for [\d.]+m?s; next: kubectl describe pod /);
});

/** Exits when a module of client-node is resolved, or the bundle of it that kolla-core's other helpers read. */
const NO_KUBERNETES = `import { registerHooks } from 'node:module';
registerHooks({
  resolve(specifier, context, next) {
    if (/client-node|kube-config|platform.kube.index/.test(specifier)) throw new Error('loaded ' + specifier);
    return next(specifier, context);
  },
});`;

test('only a login that client-node has loads it', async () => {
  await using pod = await tree();
  await using server = await listenTcp(() => {});
  const env = { HOME: pod.root, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(NO_KUBERNETES)}` };
  const looked = { env, fromSource: true } as const;
  const without = await runHelper('kolla-init', [...pod.args, '--wait', `tcp://127.0.0.1:${server.port}`], looked);
  assert.equal(without.code, 0, without.stderr);
  const loaded = /loaded (?:@kubernetes\/client-node|\.\.\/libraries\/kube-config)/;
  for (const [user, loads] of [
    [{ token: 'a' }, false],
    [{ exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'false' } }, true],
  ] as const) {
    const kubeconfig = join(pod.root, 'kubeconfig');
    await writeFile(kubeconfig, kubeconfigOf({ server: 'https://127.0.0.1:1' }, user));
    const words = ['--wait', 'job/x', '--kubeconfig', kubeconfig, '--timeout', '100ms'];
    const { stderr } = await runHelper('kolla-init', [...pod.args, ...words], looked);
    assert.equal(loaded.test(stderr), loads, stderr);
  }
});

test('credentials come from the option, then from the Pod, then from the home directory', () => {
  const inPod = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };
  assert.deepEqual(kubeSource('/a:/b', inPod), { kind: 'kubeconfig', files: ['/a', '/b'] });
  assert.equal(kubeSource(undefined, inPod).kind, 'in-cluster');
  assert.throws(() => kubeSource(undefined, {}), /no cluster is named: .*Give --kubeconfig FILE, or run it in a Pod/);
});

test('a given directory without config.json is rejected (exit code 65), unless --allow-no-config', async () => {
  await using directory = await privateDirectory('no-config');
  const words = ['--config-dir', directory.path, '--root', directory.path];
  const rejected = await runHelper('kolla-init', words);
  assert.equal(rejected.code, 65);
  const fix = `no config.json in ${directory.path}, which is empty; mount the ConfigMap there, with the key config.json, or give --allow-no-config to wait only`;
  assert.equal(logLines(rejected.stderr).at(-1)?.msg, fix);
  const missing = await runHelper('kolla-init', ['--config-dir', join(directory.path, 'none')]);
  assert.match(missing.stderr, /no config\.json in \S+none: there is no such directory; mount/);
  const waits = await runHelper('kolla-init', [...words, '--allow-no-config']);
  assert.deepEqual(
    [
      waits.code,
      logLines(waits.stderr)
        .at(-1)
        ?.msg.replace(/ after .*?:/, ''),
    ],
    [0, 'ready no files; nothing to wait for'],
  );
});

test('without --config-dir, a missing config.json at the default path is no error', async (t) => {
  if (existsSync('/var/lib/kolla/config_files')) return t.skip('this machine has a configuration');
  const { code, stderr } = await runHelper('kolla-init', []);
  assert.equal(code, 0, stderr);
});

test('an empty mount at the default path is rejected', async (t) => {
  const script = 'mkdir -p /var/lib/kolla/config_files && mount -t tmpfs none /var/lib/kolla/config_files && exec "$@"';
  const own = 'mount -t tmpfs none /var/lib && ';
  const within = ['--user', '--map-root-user', '--mount', 'sh', '-c', own + script, 'sh'];
  const tried = await run('unshare', [...within, 'true']);
  if (tried.code !== 0) return t.skip(`cannot mount here: ${tried.stderr.trim()}`);
  const { code, stderr } = await run('unshare', [...within, process.execPath, HELPERS, 'kolla-init']);
  assert.equal(code, 65, stderr);
  assert.match(stderr, /no config\.json in \/var\/lib\/kolla\/config_files, which is empty; mount the ConfigMap there/);
});
