/** Tests of the status server through a client, for both engines. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { LONG_BYTES } from '../../engine/on-engine/health.ts';

interface Port {
  readonly port: number;
}

/** @param start starts the server on loopback with these paths @param skip reason why it cannot run */
export function testServer(start: () => Promise<Port & AsyncDisposable>, skip: string | false = false): void {
  const onServer = (title: string, act: (server: Port) => Promise<void>) => {
    void test(title, { skip }, async () => {
      await using server = await start();
      await act(server);
    });
  };

  onServer('a healthy path is 200 with its status word, and an unhealthy one is 503', async (server) => {
    const [live, ready] = [await ask(server, '/livez'), await ask(server, '/readyz')];
    assert.deepEqual([live.status, live.body], [200, 'ok\n']);
    assert.deepEqual([ready.status, ready.body], [503, 'migrating\n']);
  });

  onServer('a path is evaluated on each request', async (server) => {
    assert.equal((await ask(server, '/asked')).body, '1\n');
    assert.equal((await ask(server, '/asked')).body, '2\n');
  });

  onServer('HEAD responds like GET, without a body', async (server) => {
    const { status, body, headers } = await ask(server, '/readyz', 'HEAD');
    assert.deepEqual([status, body, headers['content-length']], [503, '', '10']);
  });

  onServer('a query string does not change the path', async (server) => {
    assert.equal((await ask(server, '/livez?verbose=1')).status, 200);
  });

  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/livez/'],
    ['GET', '/constructor'],
    ['GET', '/../livez'],
    ['POST', '/livez'],
    ['DELETE', '/readyz'],
  ] as const)
    onServer(`${method} ${path} is 404`, async (server) => {
      assert.deepEqual((await ask(server, path, method)).status, 404);
    });

  onServer('a connection is closed after its response', async (server) => {
    const said = await say(server, 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\nGET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    assert.equal(said.match(/HTTP\/1\.1 200/g)?.length, 1);
  });

  onServer('endless headers are rejected', async (server) => {
    assert.match(await say(server, `GET /livez HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(8000)}`), /^HTTP\/1\.1 431 /);
  });

  onServer('a client that does not speak HTTP is disconnected, and others are served', async (server) => {
    assert.match(await say(server, '\u0016\u0003\u0001 hello'), /^HTTP\/1\.1 400 /);
    assert.match(await say(server, '\u0016\u0003\u0001 hello\r\n\r\n'), /^HTTP\/1\.1 400 /);
    assert.equal((await ask(server, '/livez')).status, 200);
  });

  onServer('a client that does not finish its request in five seconds is disconnected', async (server) => {
    const [nothing, begun] = await Promise.all([say(server, ''), say(server, 'GET /livez HTTP/1.1\r\nHost')]);
    assert.match(nothing, /^HTTP\/1\.1 408 /);
    assert.match(begun, /^HTTP\/1\.1 408 /);
  });

  onServer('a request is answered after its client has half-closed the connection', async (server) => {
    const socket = connect(server.port, '127.0.0.1', () => socket.end('GET /livez HTTP/1.0\r\n\r\n'));
    assert.match(await text(socket), /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nok\n$/);
  });

  onServer('a request is answered before its body has arrived', async (server) => {
    const head = 'POST /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n';
    assert.match(await say(server, `${head}xxx`), /^HTTP\/1\.1 404 /);
  });

  onServer('a body of megabytes is drained, and the response arrives', async (server) => {
    const head = 'POST /livez HTTP/1.1\r\nHost: x\r\n\r\n';
    assert.match(await say(server, head + 'x'.repeat(LONG_BYTES)), /^HTTP\/1\.1 404 /);
  });

  onServer('a response larger than the socket buffer arrives whole, and blocks no other', async (server) => {
    const slow = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
    slow.end('GET /long HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(slow, 'readable');
    assert.equal((await ask(server, '/livez')).status, 200);
    const [, body = ''] = (await text(slow)).split('\r\n\r\n');
    assert.equal(body.length, LONG_BYTES + 1);
  });

  onServer('a client that disconnects during a response is dropped', async (server) => {
    const gone = connect(server.port, '127.0.0.1', () => gone.write('GET /long HTTP/1.1\r\nHost: x\r\n\r\n'));
    await once(gone, 'readable');
    gone.resetAndDestroy();
    assert.equal((await ask(server, '/livez')).status, 200);
  });

  for (const [what, lines] of [
    ['without a Host header', []],
    ['with two Host headers', ['Host: localhost', 'Host: evil.example']],
  ] as const)
    onServer(`a request ${what} is rejected`, async (server) => {
      const head = ['GET /livez HTTP/1.1', ...lines, '', ''].join('\r\n');
      assert.match(await say(server, head), /^HTTP\/1\.1 400 /);
    });

  onServer('two hundred open connections of one client block no other', async (server) => {
    const held: Socket[] = [];
    for (let i = 0; i < 200; i++) held.push(await connected(server.port));
    assert.equal((await ask(server, '/livez')).status, 200);
    for (const socket of held.slice(0, 100)) assert.equal(await ended(socket), true);
    for (const socket of held) socket.destroy();
  });
}

async function ask({ port }: Port, path: string, method = 'GET') {
  const asked = request({ port, path, method, host: '127.0.0.1', agent: false });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response), headers: response.headers };
}

/** Sends these bytes, and resolves with everything that is received until the server closes the connection. */
async function say({ port }: Port, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
  return await text(socket);
}

export async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Resolves when the peer has closed the connection. */
export async function ended(socket: Socket | undefined): Promise<boolean> {
  if (socket === undefined) return false;
  socket.resume();
  if (!socket.closed) await once(socket, 'close');
  return true;
}
