import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import { messageOf } from '../../src/core/errors.ts';
import { exchange } from '../../src/net/pool/exchange.ts';
import { Pool } from '../../src/net/pool/index.ts';
import type { StreamedAnswer } from '../../src/net/pool/index.ts';
import { freePort } from '../../tools/port.ts';
import { startSilentServer } from '../support/silent-server.ts';
import { until } from '../support/until.ts';

/** A server that answers each request with the next text, as it is, and whether it then closes. */
async function serverOf(...answers: readonly (string | ((socket: Socket) => void))[]) {
  const sockets: Socket[] = [];
  let requests = 0;
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', () => {
      const answer = answers[Math.min(requests++, answers.length - 1)]!;
      if (typeof answer === 'string') socket.write(answer);
      else answer(socket);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    route: { to: { host: '127.0.0.1', port: (server.address() as AddressInfo).port }, tls: undefined },
    sockets,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    },
  };
}

const OPTIONS = { atOnce: 2, idle: 2, connectMs: 30_000, keepAliveMs: 10_000 };
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

async function textOf(answer: StreamedAnswer): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const get = (route: Awaited<ReturnType<typeof serverOf>>['route'], signal: AbortSignal) =>
  ({
    route,
    method: 'GET',
    target: '/',
    headers: [['Host', 'a']],
    signal,
    answerMs: 30_000,
    isRepeatable: true,
  }) as const;

for (const [what, answer, connections] of [
  ['a length', OK, 1],
  ['chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n', 1],
  ['no body', 'HTTP/1.1 204 No Content\r\n\r\n', 1],
  [
    'a length and chunks',
    'HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    2,
  ],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok', 2],
  ['a strange coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: x, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n', 2],
  ['a wish to close', 'HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 2\r\n\r\nok', 2],
  ['an old version', 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok', 2],
  ['more than its end', `${OK}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`, 2],
] as const)
  test(`after a response with ${what} a second request is sent on connection ${connections}`, async (t) => {
    await using server = await serverOf(answer);
    using pool = new Pool(OPTIONS);
    for (let n = 0; n < 2; n++) {
      const text = await textOf(await pool.send(get(server.route, t.signal)));
      assert.equal(text, what === 'no body' ? '' : 'ok');
    }
    assert.equal(server.sockets.length, connections);
  });

test('what a server sends unasked closes its connection', async (t) => {
  await using server = await serverOf(OK);
  using pool = new Pool(OPTIONS);
  await textOf(await pool.send(get(server.route, t.signal)));
  server.sockets[0]!.write(OK);
  await once(server.sockets[0]!, 'close');
  assert.equal(await textOf(await pool.send(get(server.route, t.signal))), 'ok');
  assert.equal(server.sockets.length, 2);
});

test('a third request waits for a place, in turn, and leaves the queue if it is aborted', async (t) => {
  const held: Socket[] = [];
  await using server = await serverOf((socket) => held.push(socket));
  using pool = new Pool(OPTIONS);
  const [first, second] = [0, 1].map(() => pool.send(get(server.route, t.signal)));
  await until('two requests', async () => Promise.resolve(held.length === 2 || undefined));
  const stop = new AbortController();
  const aborted = assert.rejects(pool.send(get(server.route, stop.signal)), /^Error: stop$/);
  const third = pool.send(get(server.route, t.signal));
  await nextTurn();
  assert.equal(held.length, 2);
  stop.abort(new Error('stop'));
  await aborted;
  held[0]!.write(OK);
  assert.equal(await textOf(await first!), 'ok');
  await until('the third request', async () => Promise.resolve(held.length === 3 || undefined));
  held[2]!.write(OK);
  held[1]!.write(OK);
  assert.deepEqual(await Promise.all([second!, third].map(async (each) => await textOf(await each))), ['ok', 'ok']);
});

test('a server that sends faster than the reader reads is held up', async (t) => {
  const bytes = 64 * 2 ** 20;
  await using server = await serverOf((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n\r\n`);
    socket.write(Buffer.alloc(bytes));
  });
  using pool = new Pool(OPTIONS);
  const answer = await pool.send(get(server.route, t.signal));
  const [sender] = server.sockets;
  let [before, after] = [-1, 0];
  await until('it to stop', async () => {
    [before, after] = [after, sender!.bytesWritten - sender!.writableLength];
    await nextTurn();
    return (before === after && after > 0) || undefined;
  });
  assert.ok(sender!.writableLength > bytes / 2, `${sender!.writableLength} bytes are left`);
  let length = 0;
  for await (const piece of answer) length += piece.length;
  assert.equal(length, bytes);
});

for (const [what, answer, message] of [
  ['its head', 'HTTP/1.1 200 OK\r\n', /^Error: socket hang up$/],
  ['its body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok', /^Error: aborted$/],
] as const)
  test(`a connection that ends within ${what} is an error`, async (t) => {
    await using server = await serverOf((socket) => void socket.end(answer));
    using pool = new Pool(OPTIONS);
    await assert.rejects(async () => await textOf(await pool.send(get(server.route, t.signal))), message);
  });

test('disposal ends requests and connections', async (t) => {
  const server = await serverOf(() => {});
  const pool = new Pool(OPTIONS);
  const pending = assert.rejects(pool.send(get(server.route, t.signal)), /^Error: the client is closed$/);
  await until('the request', async () => Promise.resolve(server.requests() || undefined));
  pool[Symbol.dispose]();
  await pending;
  await once(server.sockets[0]!, 'close');
  await server[Symbol.asyncDispose]();
});

const at = (port: number) => ({ to: { host: '127.0.0.1', port }, tls: undefined });

test('a connection that fails leaves its place to the next request', async (t) => {
  using pool = new Pool({ ...OPTIONS, atOnce: 1 });
  const route = at(await freePort());
  const asks = Array.from({ length: 3 }, () => pool.send(get(route, t.signal)));
  for (const { status, reason } of (await Promise.allSettled(asks)) as PromiseRejectedResult[]) {
    assert.equal(status, 'rejected');
    assert.equal((reason as NodeJS.ErrnoException).code, 'ECONNREFUSED');
  }
});

test('an aborted request does not end the next one', async (t) => {
  await using silent = await startSilentServer('127.0.0.1', OK);
  using pool = new Pool({ ...OPTIONS, atOnce: 1 });
  const stop = new AbortController();
  const first = pool.send(get(at(silent.port), stop.signal));
  const second = exchange(pool, get(at(silent.port), t.signal));
  stop.abort(new Error('enough'));
  await assert.rejects(first, /^Error: enough$/);
  silent.answer();
  assert.equal((await second).body.toString(), 'ok');
});

test('the connection timeout and disposal end the opening of a connection', async (t) => {
  await using silent = await startSilentServer();
  using late = new Pool({ ...OPTIONS, connectMs: 10 });
  await assert.rejects(late.send(get(at(silent.port), t.signal)), /^Error: no connection in 0.01 s$/);
  const pool = new Pool(OPTIONS);
  const asked = pool.send(get(at(silent.port), t.signal));
  setImmediate(() => pool[Symbol.dispose]());
  await assert.rejects(asked, /^Error: the client is closed$/);
});

test('a server that ends the connection before the TLS handshake is told as such', async (t) => {
  await using server = await serverOf((socket) => void socket.end());
  using pool = new Pool(OPTIONS);
  const asked = pool.send(get({ ...server.route, tls: {} } as never, t.signal));
  // Its `path` is null, and not undefined.
  await assert.rejects(asked, (error: Error) => messageOf(error).startsWith('ECONNRESET: Client network socket'));
});

for (const [what, header, options] of [
  ['that the server announces', 'Keep-Alive: timeout=2\r\n', OPTIONS],
  ['of its own', '', { ...OPTIONS, idleMs: 1000 }],
] as const)
  test(`an idle connection is closed after the time ${what}`, async (t) => {
    await using server = await serverOf(OK.replace('\r\n', `\r\n${header}`));
    using pool = new Pool(options);
    await textOf(await pool.send(get(server.route, t.signal)));
    await textOf(await pool.send(get(server.route, t.signal)));
    assert.equal(server.sockets.length, 1);
    await once(server.sockets[0]!, 'close');
  });

test('a connection that the server keeps for a second only is not used again', async (t) => {
  await using server = await serverOf(OK.replace('\r\n', '\r\nKeep-Alive: timeout=1, max=5\r\n'));
  using pool = new Pool(OPTIONS);
  for (let n = 0; n < 2; n++) assert.equal(await textOf(await pool.send(get(server.route, t.signal))), 'ok');
  assert.equal(server.sockets.length, 2);
});

test('a body that does not end in time is an error, whose connection is closed', async (t) => {
  await using server = await serverOf((socket) => {
    request.answerMs = 100; // from here on, so that a busy machine has time to send the head
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok');
  });
  const request = { ...get(server.route, t.signal), answerMs: 30_000 };
  using pool = new Pool(OPTIONS);
  await assert.rejects(exchange(pool, request), /^Error: no complete response in 0.1 s$/);
});
