import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { ConfigError } from '../../../src/core/errors.ts';
import type { BoundedServer } from '../../../src/net/http/bounded-server.ts';
import type { ListenAddress } from '../../../src/net/address.ts';
import { healthRoute, serveRoutes, type Health } from '../../../src/net/http/router.ts';

const LOOPBACK = { host: '127.0.0.1', port: 0 };
const PATHS = { '/livez': () => ({ isOk: true, word: 'ok' }), '/readyz': () => ({ isOk: false, word: 'migrating' }) };

/** Status words alone, for everybody. */
async function serveHealth(at: ListenAddress, paths: Readonly<Record<string, () => Health>>): Promise<BoundedServer> {
  const routes = Object.entries(paths).map(([path, health]) => [path, healthRoute(health)] as const);
  return await serveRoutes(at, Object.fromEntries(routes), { statusPublic: false, hostNetwork: false });
}

async function ask({ port }: BoundedServer, path: string, method = 'GET') {
  const asked = request({ port, path, method, host: '127.0.0.1', agent: false });
  asked.end();
  const [response] = (await once(asked, 'response')) as [import('node:http').IncomingMessage];
  return { status: response.statusCode, body: await text(response), headers: response.headers };
}

/** Sends these bytes, and resolves with all that is said until the other side closes. */
async function say({ port }: BoundedServer, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
  return await text(socket);
}

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

test('a path that is well is 200 with its word, and one that is not is 503 with its word', async () => {
  await using server = await serveHealth(LOOPBACK, PATHS);
  const [live, ready] = [await ask(server, '/livez'), await ask(server, '/readyz')];
  assert.deepEqual([live.status, live.body], [200, 'ok\n']);
  assert.deepEqual([ready.status, ready.body], [503, 'migrating\n']);
});

test('a path is asked anew at each request', async () => {
  let isOk = false;
  await using server = await serveHealth(LOOPBACK, { '/startupz': () => ({ isOk, word: String(isOk) }) });
  assert.equal((await ask(server, '/startupz')).status, 503);
  isOk = true;
  assert.equal((await ask(server, '/startupz')).body, 'true\n');
});

test('HEAD answers as GET does, without a body', async () => {
  await using server = await serveHealth(LOOPBACK, PATHS);
  const { status, body, headers } = await ask(server, '/readyz', 'HEAD');
  assert.deepEqual([status, body, headers['content-length']], [503, '', '10']);
});

test('what stands behind a question mark does not change the path', async () => {
  await using server = await serveHealth(LOOPBACK, PATHS);
  assert.equal((await ask(server, '/livez?verbose=1')).status, 200);
});

for (const [method, path] of [
  ['GET', '/'],
  ['GET', '/livez/'],
  ['GET', '/constructor'],
  ['GET', '/../livez'],
  ['POST', '/livez'],
  ['DELETE', '/readyz'],
] as const) {
  test(`${method} ${path} is 404`, async () => {
    await using server = await serveHealth(LOOPBACK, PATHS);
    assert.deepEqual((await ask(server, path, method)).status, 404);
  });
}

test('a connection is closed after its answer', async () => {
  await using server = await serveHealth(LOOPBACK, PATHS);
  const said = await say(server, 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\nGET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.equal(said.match(/HTTP\/1\.1 200/g)?.length, 1);
});

test('headers that do not end are refused', async () => {
  await using server = await serveHealth(LOOPBACK, PATHS);
  assert.match(await say(server, `GET /livez HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(8000)}`), /^HTTP\/1\.1 431 /);
});

test('who speaks no HTTP is sent away, and others are answered', async () => {
  await using server = await serveHealth(LOOPBACK, PATHS);
  assert.match(await say(server, '\u0016\u0003\u0001 hello\r\n\r\n'), /^HTTP\/1\.1 400 /);
  assert.equal((await ask(server, '/livez')).status, 200);
});

test('who holds a hundred connections open keeps nobody out', async () => {
  await using server = await serveHealth(LOOPBACK, PATHS);
  const held: Socket[] = [];
  for (let i = 0; i < 100; i++) held.push(await connected(server.port));
  assert.equal((await ask(server, '/livez')).status, 200);
  assert.equal(await ended(held[0]), true);
  for (const socket of held) socket.destroy();
});

test('a port that is taken is named, with what to do', async () => {
  await using server = await serveHealth(LOOPBACK, PATHS);
  await assert.rejects(serveHealth({ host: '127.0.0.1', port: server.port }, PATHS), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, new RegExp(`cannot listen on 127\\.0\\.0\\.1:${server.port}: .*EADDRINUSE.*another`));
    return true;
  });
});

test('an address that is not ours is named', async () => {
  await assert.rejects(serveHealth({ host: '192.0.2.1', port: 0 }, PATHS), /192\.0\.2\.1:0: .*EADDRNOTAVAIL/);
});

test('without an address it answers on IPv4, whatever else there is', async () => {
  await using server = await serveHealth({ port: 0 }, PATHS);
  assert.equal((await ask(server, '/livez')).status, 200);
});

test('once it is disposed of nobody is connected any more, and its port is free', async () => {
  const server = await serveHealth(LOOPBACK, PATHS);
  const socket = await connected(server.port);
  await server[Symbol.asyncDispose]();
  assert.equal(await ended(socket), true);
  await using again = await serveHealth({ host: '127.0.0.1', port: server.port }, PATHS);
  assert.equal(again.port, server.port);
});

/** Resolves once the other side has closed it. */
async function ended(socket: Socket | undefined): Promise<boolean> {
  if (socket === undefined) return false;
  socket.resume();
  if (!socket.closed) await once(socket, 'close');
  return true;
}
