/**
 * kolla-init and kubernetes-entrypoint in kolla-core: which waits run there, which are handed to kolla-pod, and PID 1.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { freePort } from '../../tools/port.ts';
import { run, start } from '../../tools/process.ts';
import { canBuildCore } from '../cluster/core-binary.ts';
import { builtCore } from '../cluster/on-core.ts';
import { logLines } from '../support/helper.ts';
import { kubeconfigOf } from '../support/kubeconfig.ts';
import { until } from '../support/until.ts';
import { startNameServer } from './name-server.ts';

const missing = await canBuildCore();
const skip = missing ?? false;
const skipUnlessRoot = missing ?? (process.geteuid?.() === 0 ? false : 'needs root, for namespaces');
const directory = await privateDirectory('core-init');
after(async () => await directory[Symbol.asyncDispose]());
const core = missing === undefined ? await builtCore() : { names: '', directory: '' };
const init = join(core.names, 'kolla-init');
const entrypoint = join(core.names, 'kubernetes-entrypoint');

const [config, root] = [join(directory.path, 'config'), join(directory.path, 'root')];
await mkdir(config);
await mkdir(root);
await writeFile(join(config, 'a.conf'), '');
const source = '/var/lib/kolla/config_files/a.conf';
await writeFile(
  join(config, 'config.json'),
  JSON.stringify({ command: 'true', config_files: [{ source, dest: '/etc/a.conf', preserve_properties: true }] }),
);
const FILES = ['--config-dir', config, '--root', root];

/** Calls `act` while there is no kolla-pod next to kolla-core, as in the -core image. */
async function alone<T>(act: () => Promise<T>): Promise<T> {
  const [pod, away] = ['kolla-pod', 'away'].map((name) => join(core.directory, name)) as [string, string];
  await rename(pod, away);
  try {
    return await act();
  } finally {
    await rename(away, pod);
  }
}

test('--version names the engine', { skip }, async () => {
  for (const name of [init, entrypoint])
    assert.match((await run(name, ['--version'])).stdout, /^\S+ \d+\.\d+\.\d+ \(kolla-core\)\n$/);
});

test('prints help with exit code 0 although its output is closed', { skip }, async () => {
  const { code } = await run('bash', ['--norc', '-c', '"$@" <&- >&- 2>&-', 'bash', entrypoint, '--help']);
  assert.equal(code, 0);
});

const env = { PATH: process.env['PATH'], HOME: directory.path };

const plugin = join(directory.path, 'plugin');
await writeFile(
  plugin,
  kubeconfigOf(
    { server: 'https://127.0.0.1:1' },
    { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'a' } },
  ),
);
const through = (proxy: string) => kubeconfigOf({ server: 'https://127.0.0.1:1', 'proxy-url': proxy }, {});
await writeFile(join(directory.path, 'socks'), through('socks5://127.0.0.1:1'));
await writeFile(join(directory.path, 'https-proxy'), through('https://127.0.0.1:1'));

for (const [what, words, needs] of [
  ['an exec plugin', ['--wait', 'job/a', '--kubeconfig', plugin], 'an exec plugin in its kubeconfig'],
  [
    'a SOCKS proxy',
    ['--wait', '!pod/a', '--kubeconfig', join(directory.path, 'socks')],
    'a SOCKS proxy in its kubeconfig',
  ],
  [
    'a proxy with TLS',
    ['--wait', 'a.b/c', '--kubeconfig', join(directory.path, 'https-proxy')],
    'a proxy with TLS in its kubeconfig',
  ],
] as const)
  test(`${what} is handed to kolla-pod, or fails before anything is written`, { skip }, async () => {
    const refused = await alone(() => run(init, [...FILES, '--wait', 'tcp://127.0.0.1:1', ...words], { env }));
    assert.equal(refused.code, 69, refused.stderr);
    assert.equal(refused.stdout, '');
    const said = logLines(refused.stderr).at(-1)?.msg ?? '';
    assert.match(said, /needs kolla-pod: .*No such file.*use the image/);
    assert.ok(said.startsWith(`${needs} needs kolla-pod`), said);
    assert.ok(!existsSync(join(root, 'etc')));
    const { code, stderr } = await run(init, ['--config-dir', config, '--root', '/no/root', ...words], { env });
    // kolla-pod reports this error: the wait was handed to it.
    assert.equal(code, 65, stderr);
    assert.match(stderr, /--root \/no\/root does not exist: mkdir it/);
  });

test('kolla-pod gets the arguments, environment and pid of the process it replaces', { skip }, async () => {
  const asked = ['--wait', 'job/a', '--kubeconfig', plugin, '--timeout', '7s'];
  const words = ['-c', 'echo $$; exec "$@"', 'sh', init, ...asked];
  const told = join(directory.path, 'told');
  await mkdir(told);
  // A substitute kolla-pod that prints its arguments.
  await alone(async () => {
    await writeFile(join(core.directory, 'kolla-pod'), '#!/bin/sh\necho "$$ $KOLLA_POD_LOG_LEVEL $@"\n', {
      mode: 0o755,
    });
    const { stdout } = await run('sh', words, { env: { ...env, KOLLA_POD_LOG_LEVEL: 'warn' } });
    const [pid, said] = stdout.split('\n');
    assert.equal(said, `${pid} warn kolla-init ${asked.join(' ')}`);
  });
});

test('an invalid wait is reported with its column', { skip }, async () => {
  for (const wait of ['jbo/a', 'tcp://a', 'file:a', '!tcp:a', 'socket:', 'http://a?timeout=1#timeout=x']) {
    const wrong = await alone(() => run(init, [...FILES, '--wait', wait], { env }));
    assert.equal(wrong.code, 64, wrong.stderr);
    assert.match(wrong.stderr, wait === 'jbo/a' ? /column 1: .*did you mean 'job'\?/ : /wait '.*', column \d+: /);
  }
});

for (const variable of ['SERVICE', 'JOBS', 'JOBS_JSON', 'DAEMONSET', 'CONTAINER', 'POD_JSON', 'CUSTOM_RESOURCE'])
  test(`DEPENDENCY_${variable} is judged here, and an exec plugin is handed to kolla-pod`, { skip }, async () => {
    const variables = { ...env, [`DEPENDENCY_${variable}`]: '[{', COMMAND: 'echo ran' };
    const wrong = await alone(() => run(entrypoint, [], { env: variables }));
    assert.equal(wrong.code, 64, wrong.stderr);
    assert.match(wrong.stderr, new RegExp(`DEPENDENCY_${variable}`));
    const refused = await alone(() =>
      run(entrypoint, [], { env: { ...variables, KUBERNETES_ENTRYPOINT_KUBECONFIG: plugin } }),
    );
    assert.equal(refused.code, 69, refused.stderr);
    assert.equal(refused.stdout, '');
    assert.match(refused.stderr, /an exec plugin in its kubeconfig needs kolla-pod: .*use the image/);
  });

test('kolla-init restart needs kolla-pod, rbac does not', { skip }, async () => {
  const { code, stderr } = await alone(() => run(init, ['restart'], { env }));
  assert.equal(code, 69);
  assert.match(stderr, /'kolla-init restart' needs kolla-pod: /);
  const words = ['rbac', '--wait', 'job/a', '--service-account', 'b'];
  const role = await alone(() => run(init, words, { env }));
  assert.match(role.stdout, /^kind: Role$/m, role.stderr);
});

test('kolla-init watch takes the URL of an action in any form, and does not log it', { skip }, async () => {
  const words = ['watch', '--root', '/no/such', '--on-change'];
  for (const url of ['https://u:hidden@127.0.0.1:1/?t=hidden', 'HTTP://127.1/a/../%41?t=hidden']) {
    const { code, stderr } = await alone(() => run(init, [...words, `http:POST ${url}`], { env }));
    assert.equal(code, 65, stderr);
    assert.match(stderr, /--root \/no\/such: no such file/);
    assert.doesNotMatch(stderr, /hidden/);
  }
});

test('a kolla-pod.yaml with options that only kolla-pod has is read', { skip }, async () => {
  const file = join(directory.path, 'kolla-pod.yaml');
  const withConfig = ['--config-dir', join(directory.path, 'none'), '--allow-no-config', '--config', file];
  await writeFile(file, JSON.stringify({ init: { watch: { root: '/kolla', 'on-change': ['exit'] }, rbac: {} } }));
  const { code, stderr } = await run(init, withConfig, { env });
  assert.equal(code, 0, stderr);
  await writeFile(file, JSON.stringify({ init: { wach: {} } }));
  const wrong = await run(init, withConfig, { env });
  assert.equal(wrong.code, 65);
  assert.match(wrong.stderr, /no option 'init\.wach'; did you mean 'watch'\?/);
});

test('as PID 1 kolla-init reaps orphans during a wait', { skip: skipUnlessRoot }, async () => {
  // PID 1 is the shell, 2 its subshell, whose child 3 is orphaned: it stays in /proc until it is reaped.
  const script = '(sleep 0.1 &); test -d /proc/3; exec "$0" --timeout 20s --wait "!file:/proc/3"';
  const words = ['--pid', '--fork', '--mount-proc', 'sh', '-ec', script, init];
  const { code, stderr } = await run('unshare', words, { env });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /!file:\/proc\/3: ready after .*: does not exist/);
});

test('as PID 1 kolla-init exits with code 143 on SIGTERM', { skip: skipUnlessRoot }, async () => {
  const words = ['--pid', '--fork', '--kill-child', '--mount-proc', init, '--wait', 'file:/no/such'];
  await using running = await start('unshare', words, { env, keepOutput: true });
  let said = '';
  running.child.stdout?.resume();
  running.child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  await until('the wait', () => Promise.resolve(said.includes('does not exist yet') || undefined));
  // unshare itself ignores SIGTERM while its child runs.
  assert.equal(await running.stop(), 143);
});

test('SIGTERM ends a wait during DNS resolution', { skip: skipUnlessRoot }, async () => {
  const address = `127.78.${process.pid % 250}.2`;
  await using server = await startNameServer(address, { 'silent.test': { fault: 'silent' } });
  const conf = join(directory.path, 'resolv.conf');
  await writeFile(conf, `nameserver ${address}\noptions timeout:30\n`);
  const script = 'mount --bind "$0" /etc/resolv.conf && exec "$@"';
  for (const wait of ['tcp://silent.test:1', 'http://silent.test/']) {
    const asked = server.asked.length;
    const words = ['--mount', 'sh', '-ec', script, conf, init, '--wait', wait];
    await using waiting = await start('unshare', words, { env });
    await until('the question', () => Promise.resolve(server.asked.length > asked || undefined));
    assert.equal(await waiting.stop(), 143);
  }
});

for (const [what, text, said] of [
  [
    'an exclude pattern with catastrophic backtracking',
    JSON.stringify({
      command: 'x',
      permissions: [{ path: '/x', owner: 'root:root', recurse: true, exclude: ['^/x/(a+)+$b'] }],
    }),
    /permissions\[0\]: exclude takes too long for \/x\/a+: make it simpler/,
  ],
  ['a million brackets', '['.repeat(1e6), /config\.json/],
] as const)
  test(`exits with code 65 for ${what} in config.json`, { skip: skipUnlessRoot }, async () => {
    await using own = await privateDirectory('core-init-hostile');
    const [hostile, top] = [join(own.path, 'config'), join(own.path, 'root')];
    await mkdir(hostile);
    await mkdir(join(top, 'x'), { recursive: true });
    await writeFile(join(top, 'x', 'a'.repeat(100)), '');
    await writeFile(join(hostile, 'config.json'), text);
    const { code, stderr } = await run(init, ['--config-dir', hostile, '--root', top], { env });
    assert.equal(code, 65, stderr.slice(-2000));
    assert.match(stderr, said);
  });

test('waits for a hundred files and three hundred servers concurrently', { skip }, async () => {
  const port = await freePort();
  const waits = Array.from({ length: 300 }, (_, i) => `tcp://127.0.${1 + (i >> 7)}.${1 + (i & 127)}:${port}`);
  const words = [...waits, ...Array.from({ length: 100 }, (_, i) => `file:/no/such/${i}`)].flatMap((one) => [
    '--wait',
    one,
  ]);
  const { code, stderr } = await run(init, [...words, '--timeout', '5s'], { env });
  assert.equal(code, 75, stderr.slice(0, 2000));
  const last = logLines(stderr).at(-1)?.msg ?? '';
  assert.match(last, /^not ready after 5s: /);
  for (const wait of waits)
    assert.ok(last.includes(`${wait} (connection refused by ${wait.slice('tcp://'.length)} (ECONNREFUSED), for`), last);
});
