import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import { test } from 'node:test';
import { serveProbes } from '../../../src/probe/serve/server.ts';
import { grpcHealth } from '../../../src/net/protocols/grpc-health.ts';
import { privateFolder } from '../../../tools/folder.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { until } from '../../support/until.ts';
import { statusOf, toldChecks } from './serve-support.ts';

const LOOPBACK = { host: '127.0.0.1', port: 0 };

async function served(checks = toldChecks([statusOf('api')])) {
  const folder = await privateFolder('grpc');
  const options = { listen: LOOPBACK, grpcListen: LOOPBACK, statusPublic: false, doorFile: `${folder.path}/probe` };
  const server = await serveProbes(options, { checks }, recordedLog().log);
  assert.ok(server.grpcPort);
  return {
    ...server,
    at: { host: '127.0.0.1', port: server.grpcPort },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** What our own check of a gRPC server would say of it. */
async function check(at: { host: string; port: number }, service: string): Promise<string> {
  const said = await grpcHealth(at, { service, signal: new AbortController().signal }, () => {});
  return said.says;
}

interface Call extends AsyncDisposable {
  readonly stream: ClientHttp2Stream;
  readonly headers: () => IncomingHttpHeaders;
  /** The status of each message that came, -1 for one of another form. */
  readonly statuses: () => number[];
}

/** A call with these bytes as its message, prefix and all. */
function call(port: number, path: string, body: readonly number[], more: Record<string, string> = {}): Call {
  const session = connect(`http://127.0.0.1:${port}`);
  session.on('error', () => {});
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...more,
  });
  let headers: IncomingHttpHeaders = {};
  let bytes = Buffer.alloc(0);
  stream.on('error', () => {});
  stream.on('response', (given) => (headers = { ...headers, ...given }));
  stream.on('trailers', (given) => (headers = { ...headers, ...given }));
  stream.on('data', (chunk: Buffer) => (bytes = Buffer.concat([bytes, chunk])));
  stream.end(Buffer.from(body));
  const statuses = () => {
    const found: number[] = [];
    for (let at = 0; at < bytes.length; at += 7) {
      const message = bytes.subarray(at, at + 7);
      found.push(message.subarray(0, 6).equals(Buffer.from([0, 0, 0, 0, 2, 8])) ? (message[6] ?? -1) : -1);
    }
    return found;
  };
  return {
    stream,
    headers: () => headers,
    statuses,
    async [Symbol.asyncDispose]() {
      session.destroy();
      if (!session.closed) await once(session, 'close');
    },
  };
}

const named = (name: string) => [0, 0, 0, 0, name.length + 2, 10, name.length, ...Buffer.from(name)];
const CHECK = '/grpc.health.v1.Health/Check';
const WATCH = '/grpc.health.v1.Health/Watch';

test('each probe and each check is a service', async () => {
  const checks = toldChecks([statusOf('api'), statusOf('db', { roles: ['readiness'], state: 'unhealthy' })]);
  await using server = await served(checks);
  assert.equal(await check(server.at, 'api'), 'SERVING');
  assert.match(await check(server.at, 'db'), /NOT_SERVING/);
  assert.match(await check(server.at, 'readiness'), /NOT_SERVING/);
  assert.equal(await check(server.at, 'startup'), 'SERVING');
  assert.match(await check(server.at, 'nobody'), /NOT_FOUND/);
});

test('the server as a whole is what liveness is: who asks no more may restart us', async () => {
  const checks = toldChecks([statusOf('db', { roles: ['readiness'], state: 'unhealthy' })]);
  await using server = await served(checks);
  assert.equal(await check(server.at, ''), 'SERVING');
  checks.tell('db', { roles: ['liveness'] });
  assert.match(await check(server.at, ''), /NOT_SERVING/);
});

test('who watches is told now, and at each change', async () => {
  const checks = toldChecks([statusOf('api')]);
  await using server = await served(checks);
  await using watching = call(server.at.port, WATCH, named('readiness'));
  const seeing = (...wanted: number[]) =>
    until(wanted.join(), async () => (watching.statuses().join() === wanted.join() ? true : undefined));
  await seeing(1);
  checks.tell('api', { state: 'unhealthy' });
  await seeing(1, 2);
  // Another reason is no other status.
  checks.tell('api', { reason: 'still' });
  checks.tell('api', { state: 'healthy' });
  await seeing(1, 2, 1);
  server.drain();
  await seeing(1, 2, 1, 2);
});

test('who watches what there is not is told so, and kept', async () => {
  await using server = await served();
  await using watching = call(server.at.port, WATCH, named('nobody'));
  await until('an answer', async () => (watching.statuses().length > 0 ? true : undefined));
  assert.deepEqual(watching.statuses(), [3]);
  assert.equal(watching.stream.closed, false);
});

for (const [what, path, body, more, wanted] of [
  ['another method', '/grpc.health.v1.Health/List', named('x'), {}, { 'grpc-status': '12' }],
  ['another service', '/other.Service/Check', named('x'), {}, { 'grpc-status': '12' }],
  ['what is no gRPC', CHECK, [], { 'content-type': 'application/json' }, { ':status': 415 }],
  ['no message', CHECK, [], {}, { 'grpc-status': '3' }],
  ['a compressed one', CHECK, [1, 0, 0, 0, 0], {}, { 'grpc-status': '3' }],
  ['one that breaks off', CHECK, [0, 0, 0, 0, 9, 10, 7, 97], {}, { 'grpc-status': '3' }],
  ['a name longer than its message', CHECK, [0, 0, 0, 0, 3, 10, 100, 97], {}, { 'grpc-status': '3' }],
] as const) {
  test(`${what} is refused, and the next is answered`, async () => {
    await using server = await served();
    await using asked = call(server.at.port, path, body, more);
    await once(asked.stream, 'close');
    for (const [key, value] of Object.entries(wanted)) assert.equal(asked.headers()[key], value);
    assert.equal(await check(server.at, 'api'), 'SERVING');
  });
}

test('fields of a later version are passed over', async () => {
  await using server = await served();
  const later = [0x10, 0x96, 0x01, 0x1d, 1, 2, 3, 4, 0x1a, 1, 0x78];
  const message = [...later, 10, 3, ...Buffer.from('api')];
  await using asked = call(server.at.port, CHECK, [0, 0, 0, 0, message.length, ...message]);
  await once(asked.stream, 'close');
  assert.deepEqual([asked.statuses(), asked.headers()['grpc-status']], [[1], '0']);
});

test('a request that is too long is closed', async () => {
  await using server = await served();
  await using asked = call(server.at.port, CHECK, [0, 0, 16, 0, 0, ...Array.from({ length: 100_000 }, () => 0)]);
  await assert.rejects(once(asked.stream, 'close'), /NGHTTP2_ENHANCE_YOUR_CALM/);
  assert.deepEqual(asked.statuses(), []);
  assert.equal(await check(server.at, 'api'), 'SERVING');
});
