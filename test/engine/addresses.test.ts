/**
 * Names with several addresses, and names that no DNS server resolves, on both engines: in a namespace of mounts with
 * its own hosts and resolv.conf, on a loopback address with a DNS server.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { freePort } from '../../tools/port.ts';
import { must, run, start } from '../../tools/process.ts';
import { canBuildCore } from '../cluster/core-binary.ts';
import { builtCore } from '../cluster/on-core.ts';
import { HELPERS, logLines } from '../support/helper.ts';
import { listenHttp, listenTcp } from '../support/server.ts';
import { startSilentServer } from '../support/silent-server.ts';
import { until } from '../support/until.ts';
import { startNameServer, type Zone } from './name-server.ts';

const isRoot = process.geteuid?.() === 0;
const missing = (await canBuildCore()) ?? (isRoot ? undefined : 'needs root, for resolv.conf in a namespace of mounts');
const skip = missing ?? false;
const directory = await privateDirectory('addresses');
after(async () => await directory[Symbol.asyncDispose]());
const core = missing === undefined ? await builtCore() : { names: '' };

const DNS = `127.79.${process.pid % 250}.2`;
const [FIRST, SECOND] = [`127.79.${process.pid % 250}.3`, `127.79.${process.pid % 250}.4`];
const HOSTS = `127.0.0.1 localhost\n${FIRST} two.test\n${SECOND} two.test\n`;
/** A lookup that nothing ends takes minutes. */
const CONF = `nameserver ${DNS}\noptions timeout:30 attempts:5\n`;
const env = { PATH: process.env['PATH'], HOME: directory.path };

const NONE = ['--config-dir', join(directory.path, 'none'), '--allow-no-config'];
const LOGS = join(directory.path, 'logs');
await mkdir(join(LOGS, 'nova'), { recursive: true });
await writeFile(join(LOGS, 'nova/nova-api.log'), 'a line\n');
const SHIPPING = ['--root', LOGS, '--state', join(LOGS, 'state'), '--grace', '1s'];
const [KUBE, KUBE_BY_PROXY] = await Promise.all([
  kubeconfig('direct', { server: 'https://dead.test:6443' }),
  kubeconfig('by-proxy', { server: 'https://127.0.0.1:1', 'proxy-url': 'http://dead.test:3128' }),
]);

async function kubeconfig(name: string, cluster: object): Promise<string> {
  const file = join(directory.path, name);
  const users = [{ name: 'u', user: { token: 't' } }];
  const contexts = [{ name: 'x', context: { cluster: 'c', user: 'u' } }];
  await writeFile(
    file,
    JSON.stringify({ clusters: [{ name: 'c', cluster }], users, contexts, 'current-context': 'x' }),
  );
  return file;
}

/** The command of one name on one engine. */
const onCore = (name: string) => [join(core.names, name)];
const onNode = (name: string) => [process.execPath, HELPERS, name];

/** Arguments of unshare that run a program with these files. */
async function inside(words: readonly string[], conf = CONF): Promise<string[]> {
  const files = [join(directory.path, 'resolv.conf'), join(directory.path, 'hosts')];
  await writeFile(files[0]!, conf);
  await writeFile(files[1]!, HOSTS);
  const script = 'mount --bind "$0" /etc/resolv.conf && mount --bind "$1" /etc/hosts && shift && exec "$@"';
  return ['--mount', 'sh', '-ec', script, ...files, ...words];
}

const CONNECTING: readonly (readonly [what: string, words: (port: number) => readonly string[]])[] = [
  ['kolla-probe tcp', (port) => [...onCore('kolla-probe'), 'tcp', `two.test:${port}`, '--timeout', '30s']],
  ['healthcheck_curl', (port) => [...onCore('healthcheck_curl'), `http://two.test:${port}/`]],
  ['kolla-init --wait tcp:', (port) => [...onCore('kolla-init'), '--wait', `tcp://two.test:${port}`]],
  ['kolla-pod probe tcp', (port) => [...onNode('kolla-probe'), 'tcp', `two.test:${port}`, '--timeout', '30s']],
  [
    'kolla-pod probe http',
    (port) => [...onNode('kolla-probe'), 'http', `http://two.test:${port}/`, '--timeout', '30s'],
  ],
  ['kolla-pod init --wait http:', (port) => [...onNode('kolla-init'), '--wait', `http://two.test:${port}/`]],
];

for (const [what, words] of CONNECTING) {
  const all = (port: number) => [...words(port), ...(what.includes('--wait') ? NONE : [])];

  test(`${what} connects to the second address while the first one is silent`, { skip }, async () => {
    await using silent = await startSilentServer(FIRST);
    await using _ = await listenHttp((_request, response) => void response.end('ok'), silent.port, SECOND);
    await must('unshare', await inside(all(silent.port)), { env });
  });

  test(`${what} connects to the first address, late, when the second one has failed`, { skip }, async () => {
    await using silent = await startSilentServer(FIRST, HTTP);
    await using running = await start('unshare', await inside(all(silent.port)), { env });
    await until('a SYN without an answer', () => (isConnecting(silent.port) ? true : undefined));
    silent.answer();
    assert.equal(await running.ended, 0);
  });
}

const UNRESOLVED: readonly (readonly [what: string, words: readonly string[]])[] = [
  ['tcp', [...onCore('kolla-probe'), 'tcp', 'dead.test:1']],
  ['http', [...onCore('kolla-probe'), 'http', 'http://dead.test/']],
  ['tcp, on Node', [...onNode('kolla-probe'), 'tcp', 'dead.test:1']],
  ['http, on Node', [...onNode('kolla-probe'), 'http', 'http://dead.test/']],
  ['http with TLS', [...onNode('kolla-probe'), 'http', 'https://dead.test/']],
  ['mysql', [...onNode('kolla-probe'), 'mysql', 'dead.test']],
  ['amqp', [...onNode('kolla-probe'), 'amqp', 'dead.test']],
  ['memcached', [...onNode('kolla-probe'), 'memcached', 'dead.test']],
  ['redis', [...onNode('kolla-probe'), 'redis', 'dead.test']],
  ['tls', [...onNode('kolla-probe'), 'tls', 'dead.test:443']],
  ['grpc', [...onNode('kolla-probe'), 'grpc', 'dead.test:1']],
];

for (const [what, words] of UNRESOLVED)
  test(
    `a probe that times out says that no DNS server answers, not that the server is silent: ${what}`,
    { skip },
    async () => {
      await using _ = await startNameServer(DNS, { 'dead.test': { fault: 'silent' } });
      const { code, stderr } = await run('unshare', await inside([...words, '--timeout', '1s']), { env });
      assert.equal(code, 1, stderr);
      const message = logLines(stderr).at(-1)?.msg ?? '';
      assert.match(message, /: no response in 1s: cannot resolve dead\.test: no DNS server answers \(EAI_AGAIN\)$/);
    },
  );

const HTTP = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok';

/** Whether a connection to this port waits for the response to its SYN: state 02 in /proc/net/tcp. */
function isConnecting(port: number): boolean {
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')} 02 `;
  return readFileSync('/proc/net/tcp', 'latin1').includes(remote);
}

const LOOKING: readonly (readonly [what: string, words: readonly string[]])[] = [
  ['a probe', [...onCore('kolla-probe'), 'tcp', 'dead.test:1', '--timeout', '1h']],
  ['a probe on Node', [...onNode('kolla-probe'), 'tcp', 'dead.test:1', '--timeout', '1h']],
  ['a probe with TLS', [...onNode('kolla-probe'), 'http', 'https://dead.test/', '--timeout', '1h']],
  ['a gRPC probe', [...onNode('kolla-probe'), 'grpc', 'dead.test:1', '--timeout', '1h']],
  ['a MySQL greeting', [...onNode('kolla-probe'), 'mysql', 'dead.test', '--timeout', '1h']],
  ['a MySQL login', [...onNode('kolla-probe'), 'mysql', 'dead.test', '--user', 'u', '--timeout', '1h']],
  ['a certificate check', [...onNode('kolla-probe'), 'tls', 'dead.test:443', '--timeout', '1h']],
  ['a wait with TLS', [...onNode('kolla-init'), ...NONE, '--wait', 'https://dead.test/']],
  ['a wait for a Job', [...onNode('kolla-init'), ...NONE, '--wait', 'job/x', '--kubeconfig', KUBE]],
  ['a proxied wait', [...onNode('kolla-init'), ...NONE, '--wait', 'job/x', '--kubeconfig', KUBE_BY_PROXY]],
  [
    'a syslog receiver',
    [...onNode('kolla-log-ship'), ...SHIPPING, '--syslog', 'udp://dead.test:5140', '--to', 'stdout'],
  ],
  ['a listener', [...onNode('kolla-probe'), 'serve', '--allow-no-checks', '--listen', 'dead.test:0']],
  ['a listener of kolla-core', [...onCore('kolla-probe'), 'serve', '--allow-no-checks', '--listen', 'dead.test:0']],
  ['a log shipper', [...onNode('kolla-log-ship'), ...SHIPPING, '--url', 'http://dead.test']],
];
const DEAD: Zone = { 'dead.test': { fault: 'silent' } };
/** Between the second in which they end, and the minutes of a lookup that nothing ends. */
const KILL_MS = 20_000;

for (const [what, words] of LOOKING)
  test(`SIGTERM ends ${what} while no DNS server responds`, { skip }, async () => {
    await using server = await startNameServer(DNS, DEAD);
    await using running = await start('unshare', await inside(words), { env });
    await until('the query', () => server.asked.length > 0 || undefined);
    assert.notEqual(await running.stop(KILL_MS), 137);
  });

for (const [engine, command] of [
  ['kolla-core', onCore],
  ['Node', onNode],
] as const) {
  test(`a probe ends at its deadline while no DNS server responds, on ${engine}`, { skip }, async () => {
    await using _ = await startNameServer(DNS, DEAD);
    const words = await inside([...command('kolla-probe'), 'tcp', 'dead.test:1', '--timeout', '900ms']);
    const { code, stderr } = await run('timeout', ['--signal=KILL', `${KILL_MS / 1000}`, 'unshare', ...words], { env });
    assert.equal(code, 1, stderr);
    assert.match(stderr, /no response in 900ms/);
  });

  test(`a silent AAAA query does not delay the connection to an IPv4 address, on ${engine}`, { skip }, async () => {
    await using _ = await startNameServer(DNS, { 'half.test': { A: ['127.0.0.1'], AAAAcode: 'silent' } });
    await using server = await listenTcp(() => {});
    const words = await inside([...command('kolla-probe'), 'tcp', `half.test:${server.port}`, '--timeout', '20s']);
    await must('unshare', words, { env });
  });

  test(`a changed resolv.conf applies to the next lookup, on ${engine}`, { skip }, async () => {
    await using _ = await startNameServer(DNS, { 'new.test': { A: ['127.0.0.1'] } });
    await using server = await listenTcp(() => {});
    const words = [...command('kolla-init'), ...NONE, '--wait', `tcp://new.test:${server.port}`];
    const conf = `nameserver ${FIRST}\n`;
    await using running = await start('unshare', await inside(words, conf), { env, keepOutput: true });
    running.child.stdout!.resume();
    let said = '';
    running.child.stderr!.setEncoding('utf8').on('data', (text: string) => (said += text));
    await until('the failed lookup', (saw) => {
      saw(said);
      return said.includes('no response from the DNS server') || undefined;
    });
    await writeFile(join(directory.path, 'resolv.conf'), CONF);
    assert.equal(await running.ended, 0, said);
  });

  test(`a wait reaches the second DNS server while the first one is silent, on ${engine}`, { skip }, async () => {
    await using _ = await startNameServer(DNS, { 'new.test': { fault: 'silent' } });
    await using second = await startNameServer(FIRST, { 'new.test': { A: ['127.0.0.1'] } });
    await using server = await listenTcp(() => {});
    const words = [...command('kolla-init'), ...NONE, '--wait', `tcp://new.test:${server.port}`];
    // The timeout is longer than an attempt of a wait.
    const conf = `nameserver ${DNS}\nnameserver ${FIRST}\noptions timeout:30\n`;
    await must('unshare', await inside(words, conf), { env });
    assert.ok(second.asked.length > 0);
  });

  for (const [name, reason] of [
    ['absent.test', 'no such name (ENOTFOUND)'],
    ['empty.test', 'the name has no address (ENOTFOUND)'],
    ['failing.test', `SERVFAIL from the DNS server ${DNS} (EAI_AGAIN)`],
    ['a..test', 'not a host name (ENOTFOUND)'],
  ] as const)
    test(`the reason is '${reason.replace(DNS, 'ADDRESS')}', on ${engine}`, { skip }, async () => {
      await using _ = await startNameServer(DNS, { 'empty.test': {}, 'failing.test': { fault: 'failing' } });
      const words = await inside([...command('kolla-probe'), 'tcp', `${name}:1`, '--timeout', '20s']);
      const { code, stderr } = await run('unshare', words, { env });
      assert.equal(code, 1, stderr);
      assert.equal(logLines(stderr).at(-1)?.msg, `tcp ${name}:1: cannot resolve ${name}: ${reason}`);
    });

  test(`a link-local address with its interface is connected to, on ${engine}`, { skip }, async () => {
    const port = await freePort();
    const script = 'ip link set lo up && ip address add fe80::79/64 dev lo nodad && exec "$@"';
    const server = `require('node:net').createServer().listen(${port}, '::', () => require('node:fs').writeSync(1, 'up'))`;
    await using running = await start('unshare', ['--net', 'sh', '-ec', script, 'sh', process.execPath, '-e', server], {
      keepOutput: true,
    });
    running.child.stderr!.resume();
    await new Promise((resolve) => running.child.stdout!.once('data', resolve));
    for (const zone of ['lo', '1'])
      await must(
        'nsenter',
        [
          `--net=/proc/${running.pid}/ns/net`,
          ...command('kolla-probe'),
          'tcp',
          `[fe80::79%${zone}]:${port}`,
          '--timeout',
          '20s',
        ],
        { env },
      );
  });
}
