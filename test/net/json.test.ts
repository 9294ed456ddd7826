import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { askJson } from '../../src/net/json.ts';
import { listenHttp, listenTcp } from '../support/server.ts';

test('an abort by the caller rejects with its reason, whose code is a number', async (t) => {
  const server = createServer();
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const stop = new AbortController();
  const asked = assert.rejects(askJson({ method: 'GET', url }, { signal: stop.signal, answerMs: 600_000 }), {
    name: 'AbortError',
  });
  await once(server, 'request');
  stop.abort();
  await asked;
});

test('a body is sent with its length in bytes, and what the caller says of it', async (t) => {
  const heard: unknown[] = [];
  await using server = await listenHttp((request, response) => {
    const { method, url, headers } = request;
    heard.push(method, url, headers['content-type'], headers['content-length'], headers['x-auth-token']);
    request.on('data', (piece: Buffer) => heard.push(piece.toString()));
    request.on('end', () => {
      response.setHeader('X-Subject-Token', 'token');
      // A byte a chunk.
      for (const byte of Buffer.from('{"ä":[1]}')) response.write(Buffer.from([byte]));
      response.end();
    });
  });
  const url = new URL(`http://127.0.0.1:${server.port}/v3/tokens?nocatalog`);
  const call = { method: 'POST', url, headers: { 'x-auth-token': 'own' }, body: { name: 'ö' } };
  const { status, headers, body } = await askJson(call, { signal: t.signal, answerMs: 60_000 });
  assert.deepEqual([status, headers.get('x-subject-token'), body], [200, 'token', { ä: [1] }]);
  assert.deepEqual(heard, ['POST', '/v3/tokens?nocatalog', 'application/json', '13', 'own', '{"name":"ö"}']);
});

for (const [what, answer, message] of [
  ['another protocol', '220 mail ESMTP\r\n', 'the server does not speak HTTP'],
  ['half of its body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}', 'aborted'],
  ['a TLS alert', '\u0015\u0003\u0003\u0000\u0002\u0002\u0046', /^the server answered with a TLS alert/],
] as const)
  test(`a server that answers with ${what} is reported`, async (t) => {
    await using server = await listenTcp(
      (socket) => void socket.on('error', () => {}).once('data', () => socket.end(answer)),
    );
    const call = { method: 'GET', url: new URL(`http://127.0.0.1:${server.port}/`) };
    await assert.rejects(askJson(call, { signal: t.signal, answerMs: 60_000 }), { message });
  });

test('a server that is silent is reported with the time', async (t) => {
  await using server = await listenTcp(() => {});
  const call = { method: 'GET', url: new URL(`http://127.0.0.1:${server.port}/`) };
  await assert.rejects(askJson(call, { signal: t.signal, answerMs: 100 }), { message: 'no response in 0.1 s' });
});
