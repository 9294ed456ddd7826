import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { dialThrough, isExempt } from '../../src/net/proxy.ts';
import { listenTcp } from '../support/server.ts';

for (const [host, noProxy, is] of [
  ['es.example', '', false],
  ['es.example', '*', true],
  ['ES.example', 'a, es.Example', true],
  ['es.example', 'es.example:9200', true],
  ['es.example', 'es.example:9201', false],
  ['es.example', '.example', true],
  ['example', '.example', true],
  ['example', '*.example', false],
  ['es.example', '*.example', true],
  ['esexample', '.example', false],
  ['es.example', 'example', false],
  ['10.0.0.7', '10.0.0.1-10.0.0.9', true],
  ['10.0.0.10', '10.0.0.1 - 10.0.0.9', false],
  ['10.0.0.7', '10.0.0.1-host', false],
  ['::1', '::1', true],
] as const)
  test(`NO_PROXY='${noProxy}' ${is ? 'exempts' : 'does not exempt'} ${host}`, () => {
    assert.equal(isExempt({ host, port: 9200 }, noProxy), is);
  });

/** A proxy that answers each request with this text. */
async function proxyAnswering(text: string, heard: string[] = []) {
  const serve = (socket: Socket) => {
    socket.on('error', () => {});
    socket.once('data', (head: Buffer) => {
      heard.push(...head.toString().split('\r\n'));
      socket.write(text);
    });
  };
  return await listenTcp(serve);
}

const OK = 'HTTP/1.1 200 Connection established\r\n\r\n';

test('a tunnel is requested with the login, and passes on what follows', async (t) => {
  const heard: string[] = [];
  await using proxy = await proxyAnswering(OK, heard);
  const url = new URL(`http://shipper:a%20b@127.0.0.1:${proxy.port}`);
  const socket = await dialThrough(url, { host: '::1', port: 443 }, t.signal);
  assert.deepEqual(heard.slice(0, 3), [
    'CONNECT [::1]:443 HTTP/1.1',
    'Host: [::1]:443',
    `proxy-authorization: Basic ${Buffer.from('shipper:a b').toString('base64')}`,
  ]);
  // TLS reads from the connection itself.
  const secure = connectTls({ socket });
  secure.destroy();
  await once(secure, 'close');
});

for (const [text, reason] of [
  ['HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n', /refuses a tunnel to es:443: status 407/],
  [`${OK}SSH-2.0`, /sends more than its response/],
  ['SSH-2.0-x\r\n', /Expected HTTP/],
] as const)
  test(`a proxy that answers '${text.slice(0, 20).trim()}' is refused`, async (t) => {
    await using proxy = await proxyAnswering(text);
    const url = new URL(`http://127.0.0.1:${proxy.port}`);
    await assert.rejects(dialThrough(url, { host: 'es', port: 443 }, t.signal), reason);
  });
