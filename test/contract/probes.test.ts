/**
 * gRPC servers of nghttp2 and Go, and others in their place, and RabbitMQ's management API, as kolla-probe finds them on both
 * engines: the same result in the same words.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createSecureServer, createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Server, Socket } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createServer as createTls } from 'node:tls';
import { privateDirectory } from '../../tools/directory.ts';
import { freePort, freePorts } from '../../tools/port.ts';
import { run, start, tied } from '../../tools/process.ts';
import { makeAuthority } from '../cluster/authority.ts';
import { canBuildCore } from '../cluster/core-binary.ts';
import { canBuildKubernetes, kubeBinary } from '../cluster/kubernetes/binaries.ts';
import { etcdFlags } from '../cluster/kubernetes/flags.ts';
import { builtCore } from '../cluster/on-core.ts';
import { frame, TYPE } from '../../src/net/http2/frames.ts';
import { scriptedBroker } from '../support/amqp-broker.ts';
import { runHelper } from '../support/helper.ts';
import { get } from '../probe/serve/serve-support.ts';
import { listenHttp, listenTcp } from '../support/server.ts';
import { until } from '../support/until.ts';
import { SETTINGS, uint32 } from '../net/http2/frames.ts';

const skip = (await canBuildCore()) ?? false;
const core = skip === false ? join((await builtCore()).names, 'kolla-probe') : '';
const noEtcd = (await canBuildKubernetes()) ?? false;
const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const { path } = stack.use(await privateDirectory('contract-probes'));
const HOST = '127.0.0.1';

const authority = makeAuthority('ca');
const { certificate: cert, key } = authority.issue({ commonName: 'server', hosts: [HOST] });
const file = (name: string, text: string) => {
  writeFileSync(join(path, name), text);
  return join(path, name);
};
const CA = file('ca.pem', authority.certificate);
const TRUSTED = ['--tls', 'verify', '--ca-file', CA];

/** The exit code and the reason; asserted to be the same on both engines. */
async function verdict(words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const own = { PATH: process.env['PATH'], ...env };
  const [nodes, cores] = (
    await Promise.all([
      runHelper('kolla-probe', words, { env }),
      run(core, [...words, '--timeout', '30s'], { env: own }),
    ])
  ).map(({ code, stdout, stderr }) => {
    const said = stderr.split('\n').filter((line) => line !== '');
    const reasons = said.map((line) => (JSON.parse(line) as { msg: string }).msg);
    return [`${code}${stdout}`, ...reasons].join(': ');
  });
  assert.equal(cores, nodes, words.join(' '));
  return cores!;
}

async function listening(server: Http2Server | Server): Promise<string> {
  server.listen(0, HOST);
  stack.defer(() => void server.close());
  await once(server, 'listening');
  return `${HOST}:${(server.address() as AddressInfo).port}`;
}

async function tcp(serve: (socket: Socket) => void): Promise<string> {
  return `${HOST}:${stack.use(await listenTcp((socket) => serve(socket.on('error', () => {})))).port}`;
}

/** The service `up` in a request. */
const UP = Buffer.from('\n\u0002up');

/** Answers as a gRPC server whose only service is `up`. */
function answer(stream: ServerHttp2Stream): void {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => {
    const asked = Buffer.concat(chunks).subarray(5);
    if (asked.length > 0 && !asked.equals(UP))
      return stream.respond({ ':status': 200, 'grpc-status': '5' }, { endStream: true });
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.from([0, 0, 0, 0, 2, 0x08, 1]));
  });
}

describe('grpc', { skip, concurrency: 2 }, () => {
  test('nghttp2, with and without TLS', async () => {
    const plain = await listening(createServer().on('stream', answer));
    assert.match(await verdict(['grpc', plain]), /^0/);
    assert.match(await verdict(['grpc', plain, '--service', 'up']), /^0/);
    assert.match(await verdict(['grpc', plain, '--service', 'x']), /knows no service 'x' \(NOT_FOUND\)/);
    assert.match(await verdict(['grpc', plain, ...TRUSTED]), /does not speak TLS/);
    const secure = await listening(createSecureServer({ cert, key }).on('stream', answer));
    assert.match(await verdict(['grpc', secure, ...TRUSTED]), /^0/);
    assert.match(await verdict(['grpc', secure, '--tls', 'require', '--service', 'x']), /NOT_FOUND/);
    assert.match(await verdict(['grpc', secure, '--tls', 'verify']), /not signed by a CA of this image's CA bundle/);
    assert.match(await verdict(['grpc', secure]), /requires TLS(?:: |, )give --tls verify$/);
  });

  test('a server of TLS 1.2', async () => {
    const secure = await listening(createSecureServer({ cert, key, maxVersion: 'TLSv1.2' }).on('stream', answer));
    assert.match(await verdict(['grpc', secure, ...TRUSTED]), /^0/);
  });

  const OTHERS: Readonly<Record<string, readonly [start: () => Promise<string>, reason: RegExp, tls?: boolean]>> = {
    'HTTP/1.1': [
      async () => `${HOST}:${stack.use(await listenHttp((_, response) => void response.end())).port}`,
      /: the server does not speak HTTP\/2, which gRPC needs$/,
    ],
    'a greeting': [
      () => tcp((socket) => void socket.write('220 mail\r\n')),
      /does not speak HTTP\/2, which gRPC needs$/,
    ],
    'no answer': [
      () => tcp((socket) => socket.end()),
      /closed without a response: it may not speak HTTP\/2; if the server/,
    ],
    'a closed port': [async () => `${HOST}:${await freePort()}`, /connection refused by/],
    'pings without end': [
      () =>
        tcp((socket) => {
          const pings = Buffer.concat(Array.from({ length: 100 }, () => frame(TYPE.ping, 0, 0, Buffer.alloc(8))));
          const more = (error?: Error | null) => void (error || socket.destroyed || socket.write(pings, more));
          socket.write(SETTINGS, more);
        }),
      /no end of its response after 1000 frames of HTTP\/2$/,
    ],
    'a reset': [
      () => tcp((socket) => void socket.write(Buffer.concat([SETTINGS, frame(TYPE.reset, 0, 1, uint32(7))]))),
      /the server breaks off the call \(REFUSED_STREAM\)$/,
    ],
    'its end': [
      () =>
        tcp((socket) => {
          const end = frame(TYPE.goAway, 0, 0, Buffer.concat([uint32(0), uint32(11)]));
          socket.write(Buffer.concat([SETTINGS, end]));
        }),
      /the server ends the connection before its response \(ENHANCE_YOUR_CALM\)$/,
    ],
    'TLS for HTTP/1.1': [
      () => listening(createTls({ cert, key, ALPNProtocols: ['http/1.1'] }).on('tlsClientError', () => {})),
      /it speaks TLS, but not HTTP\/2 over it, which gRPC needs$/,
      true,
    ],
    'TLS that chooses no protocol': [
      () => listening(createTls({ cert, key }, (socket) => socket.on('error', () => {}))),
      /it speaks TLS, but not HTTP\/2 over it, which gRPC needs$/,
      true,
    ],
  };
  for (const [name, [begin, reason, tls = false]] of Object.entries(OTHERS))
    test(`${name} in place of gRPC`, async () => {
      assert.match(await verdict(['grpc', await begin(), ...(tls ? TRUSTED : [])]), reason);
    });

  test('a silent server is reported at the deadline', async () => {
    const at = await tcp(() => {});
    // Long enough for a busy machine to connect.
    const { code, stderr } = await run(core, ['grpc', at, '--timeout', '4s']);
    assert.equal(code, 1);
    assert.match(stderr, /no response in 4s: connected, but the call gets no response: it may be frozen, or not gRPC/);
  });

  test('etcd, which is Go, with and without TLS', { skip: noEtcd }, async () => {
    const [plain = 0, secure = 0, plainPeer = 0, securePeer = 0] = await freePorts(4);
    const files = { 'cert-file': file('server.crt', cert), 'key-file': file('server.key', key) };
    const flagsOf = (name: string, etcd: number, etcdPeer: number) => etcdFlags(join(path, name), { etcd, etcdPeer });
    const client = `https://${HOST}:${secure}`;
    for (const flags of [
      flagsOf('plain', plain, plainPeer),
      {
        ...flagsOf('secure', secure, securePeer),
        'listen-client-urls': client,
        'advertise-client-urls': client,
        ...files,
      },
    ]) {
      const words = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
      stack.use(await start(...tied(await kubeBinary(), ['etcd', ...words])));
    }
    for (const [port, trust] of [
      [plain, []],
      [secure, TRUSTED],
    ] as const) {
      const words = ['grpc', `${HOST}:${port}`, ...trust];
      await until('etcd to be healthy', async (saw) => {
        const { code, stderr } = await runHelper('kolla-probe', words);
        saw(stderr);
        return code === 0 || undefined;
      });
      assert.match(await verdict(words), /^0/);
      assert.match(await verdict([...words, '--service', 'none']), /knows no service 'none' \(NOT_FOUND\)$/);
    }
  });
});

describe('rabbitmq with the management API', { skip, concurrency: 2 }, () => {
  const login = { KOLLA_PROBE_USER: 'monitor', KOLLA_PROBE_PASSWORD: 'hidden' };
  const api = async (status: number, body: string) =>
    stack.use(await listenHttp((_, response) => void response.writeHead(status).end(body)));
  const asked = async (management: string, ...more: string[]) => {
    await using broker = await scriptedBroker();
    return await verdict(['rabbitmq', `${HOST}:${broker.port}`, '--management', management, ...more], login);
  };

  test('its answers', async () => {
    const of = async (status: number, body: string) => await asked(`http://${HOST}:${(await api(status, body)).port}/`);
    assert.match(await of(200, '{}'), /^0/);
    assert.match(await of(401, '{}'), /rejects 'monitor'/);
    assert.match(await of(404, 'x'), /returns status 404/);
    const alarm = { reason: 'r', alarms: [{ resource: 'disk' }] };
    assert.match(await of(503, JSON.stringify(alarm)), /an alarm is in effect \(disk\): publishers are blocked/);
    // In chunks, with a text that is no ASCII.
    assert.match(await of(503, JSON.stringify({ reason: 'ä'.repeat(50_000) })), /in effect: ä/);
  });

  test('other servers', async () => {
    assert.match(await asked(`http://${HOST}:${await freePort()}`), /connection refused by/);
    const greeting = await tcp((socket) => void socket.write('220 mail\r\n'));
    assert.match(await asked(`http://${greeting}`), /the server does not speak HTTP$/);
    const plain = `https://${HOST}:${(await api(200, '{}')).port}`;
    assert.match(await asked(plain, '--tls', 'require'), /the management API at \S+: the server does not speak TLS/);
    const secure = await listening(
      createTls({ cert, key }, (socket) => socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\n\r\n{}')),
    );
    assert.match(await asked(`https://${secure}`), /its certificate is not signed by a CA of this image's CA bundle/);
    assert.match(await asked(`https://${secure}`, '--ca-file', CA), /^0/);
    assert.match(await asked(`http://${secure}`), /\(ECONNRESET\); if the server requires TLS, use https:\/\/$/);
  });

  test('a URL may be written in another form', async () => {
    const { port } = await api(200, '{}');
    assert.match(await asked(`HTTP://${HOST}:${port}/%41/..`), /^0/);
  });
});

test('kolla-core serves both checks, again and again', { skip }, async () => {
  const secure = await listening(createSecureServer({ cert, key }).on('stream', answer));
  await using broker = await scriptedBroker();
  await using api = await listenHttp((_, response) => void response.end('{}'));
  const login = `--user monitor --password-file ${file('password', 'hidden')}`;
  const checks = {
    grpc: `grpc ${secure} ${TRUSTED.join(' ')}`,
    rabbitmq: `rabbitmq ${HOST}:${broker.port} --management http://${HOST}:${api.port} ${login}`,
  };
  const each = Object.entries(checks).map(([name, words]) => `${name}: { run: "${words}", period: 2s, timeout: 2s }`);
  const config = file('kolla-pod.yaml', `checks: { ${each.join(', ')} }\n`);
  const env = { PATH: process.env['PATH'] };
  const words = ['serve', '--config', config, '--listen', `${HOST}:0`];
  await using running = await start(...tied(core, words), { env, keepOutput: true });
  let said = '';
  running.child.stderr!.on('data', (piece: Buffer) => (said += piece.toString()));
  const [, port] = await until('the address', () => /answered on [^ ]+:(\d+);/.exec(said) ?? undefined);
  // One that is late on a busy machine is followed by others.
  await until('three answers of each, and the last to be good', async (saw) => {
    const { body } = await get(Number(port), '/metrics');
    saw(body);
    const areGood = Object.keys(checks).map((name) => {
      const valueOf = (metric: string) =>
        Number(new RegExp(`^kolla_probe_check_${metric}\\{check="${name}"[^}]*\\} (\\d+)$`, 'm').exec(body)?.[1]);
      return valueOf('duration_seconds_count') >= 3 && valueOf('up') === 1;
    });
    return areGood.every(Boolean) || undefined;
  });
});
