import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memcached } from '../../../src/probe/checks/memcached.ts';
import { freePort } from '../../../tools/port.ts';
import { listenTcp } from '../../support/server.ts';
import { asked, reasonOf } from './asked.ts';

const answering = (text: string, host?: string) =>
  listenTcp((socket) => void socket.once('data', () => socket.write(text)), host);

test('a memcached that reports its version is healthy, over IPv4 and IPv6', async () => {
  for (const host of ['127.0.0.1', '::1']) {
    await using server = await answering('VERSION 1.6.18\r\n', host);
    const place = host === '::1' ? `[::1]:${server.port}` : `${host}:${server.port}`;
    assert.deepEqual(await asked(memcached, [place]), { healthy: true, detail: 'version 1.6.18' });
  }
});

test('a server at its connection limit is unhealthy, with that reason', async () => {
  await using server = await answering('ERROR Too many open connections\r\n');
  assert.match(await reasonOf(memcached, [`127.0.0.1:${server.port}`]), /reached its connection limit/);
});

test('a server that is not memcached and a closed port each have their reason', async () => {
  await using server = await answering('-ERR unknown command\r\n');
  assert.equal(await reasonOf(memcached, [`127.0.0.1:${server.port}`]), 'the server is not memcached');
  const at = `127.0.0.1:${await freePort()}`;
  assert.equal(await reasonOf(memcached, [at]), `connection refused by ${at} (ECONNREFUSED)`);
});

test('the default port is 11211, and an invalid address is rejected', async () => {
  const question = await memcached.prepare({ operands: ['::1'], child: [], options: {} }, {} as never);
  assert.equal(question.subject, 'memcached [::1]:11211');
  assert.deepEqual(question.hosts, ['::1']);
  await assert.rejects(asked(memcached, ['a b']), /memcached: 'a b' is not HOST or HOST:PORT/);
  await assert.rejects(asked(memcached, ['host:99999']), /'host:99999' is not HOST:PORT/);
  await assert.rejects(asked(memcached, ['tcp://a:hidden@host']), (error: Error) => {
    assert.match(error.message, /memcached: this is HOST or HOST:PORT, not a URL/);
    assert.doesNotMatch(error.message, /hidden/);
    return true;
  });
});
