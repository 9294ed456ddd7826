import assert from 'node:assert/strict';
import { test } from 'node:test';
import { get, type GetOptions } from '../../../src/net/codec/get.ts';
import { HttpParseError } from '../../../src/net/codec/head.ts';
import { freePort } from '../../../tools/port.ts';
import { listenHttp, listenTcp } from '../../support/server.ts';

function options(port: number, signal: AbortSignal, more: Partial<GetOptions> = {}): GetOptions {
  return { to: { host: '127.0.0.1', port }, target: '/a?b', headers: [['Host', 'x']], signal, ...more };
}

/** A server that sends this after a request, and closes the connection. */
const saying = (text: string) =>
  listenTcp((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(text));
  });

test('a page is requested, and its body passed on in chunks', async (t) => {
  const asked: unknown[] = [];
  await using server = await listenHttp(({ method, url, headers }, response) => {
    asked.push(method, url, headers.host);
    response.write('one ');
    response.end('two');
  });
  let body = '';
  const onBody = (piece: Uint8Array) => {
    body += Buffer.from(piece).toString();
    return true;
  };
  const { status, headers } = await get(options(server.port, t.signal, { onBody }));
  assert.deepEqual([status, headers.get('transfer-encoding'), body], [200, 'chunked', 'one two']);
  assert.deepEqual(asked, ['GET', '/a?b', 'x']);
});

test('a caller may stop after the head of a response whose body never ends', async (t) => {
  await using server = await listenHttp((_request, response) => void response.writeHead(404).write('half'));
  const onBody = () => assert.fail('the body was handed on');
  assert.equal((await get(options(server.port, t.signal, { onHead: () => false, onBody }))).status, 404);
});

test('a caller may stop within the body', async (t) => {
  await using server = await listenHttp((_request, response) => void response.writeHead(200).write('x'.repeat(100)));
  assert.equal((await get(options(server.port, t.signal, { onBody: () => false }))).status, 200);
});

for (const [what, text, message] of [
  ['nothing', '', 'socket hang up'],
  ['half a head', 'HTTP/1.1 200 OK\r\nX', 'socket hang up'],
  ['half a body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123', 'aborted'],
  ['one chunk too few', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n', 'aborted'],
] as const)
  test(`a server that disconnects after ${what} is ECONNRESET`, async (t) => {
    await using server = await saying(text);
    await assert.rejects(get(options(server.port, t.signal)), { code: 'ECONNRESET', message });
  });

test('a body up to the end of the connection is complete', async (t) => {
  await using server = await saying('HTTP/1.0 200 OK\r\n\r\nbody');
  assert.equal((await get(options(server.port, t.signal))).version, '1.0');
});

test('a server that does not speak HTTP is reported at once, even if it never disconnects', async (t) => {
  await using server = await listenTcp((socket) => void socket.write('\u0000greeting'));
  await assert.rejects(get(options(server.port, t.signal)), HttpParseError);
});

test('a header that cannot be sent rejects the request', async (t) => {
  await using server = await saying('HTTP/1.0 200 OK\r\n\r\n');
  await assert.rejects(get(options(server.port, t.signal, { headers: [['X', 'a\n']] })), TypeError);
});

test('a missing server is a system error', async (t) => {
  await assert.rejects(get(options(await freePort(), t.signal)), { code: 'ECONNREFUSED' });
});

test('an aborted signal stops a request before the connection and during a response', async () => {
  const reason = new Error('enough');
  await assert.rejects(get(options(1, AbortSignal.abort(reason))), reason);
  await using server = await listenHttp((_request, response) => void response.writeHead(200).write('half'));
  const stop = new AbortController();
  const onBody = () => {
    stop.abort(reason);
    return true;
  };
  await assert.rejects(get(options(server.port, stop.signal, { onBody })), reason);
});
