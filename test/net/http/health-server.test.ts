import assert from 'node:assert/strict';
import { request } from 'node:http';
import { once } from 'node:events';
import { test } from 'node:test';
import { ConfigError } from '../../../src/core/errors.ts';
import { paths, serveHealth } from '../../engine/on-engine/health.ts';
import { connected, ended, testServer } from './server-cases.ts';

const LOOPBACK = { host: '127.0.0.1', port: 0 };

testServer(async () => await serveHealth(LOOPBACK, paths()));

test('a port in use is reported, with the fix', async () => {
  await using server = await serveHealth(LOOPBACK, paths());
  await assert.rejects(serveHealth({ host: '127.0.0.1', port: server.port }, paths()), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, new RegExp(`cannot listen on 127\\.0\\.0\\.1:${server.port}: .*EADDRINUSE.*another`));
    return true;
  });
});

test('a non-local address is reported', async () => {
  await assert.rejects(serveHealth({ host: '192.0.2.1', port: 0 }, paths()), /192\.0\.2\.1:0: .*EADDRNOTAVAIL/);
});

test('without an address the server listens on IPv4', async () => {
  await using server = await serveHealth({ port: 0 }, paths());
  const asked = request({ port: server.port, path: '/livez', host: '127.0.0.1', agent: false }).end();
  const [response] = (await once(asked, 'response')) as [import('node:http').IncomingMessage];
  assert.equal(response.statusCode, 200);
  response.resume();
});

test('after disposal no client is connected, and its port is free', async () => {
  const server = await serveHealth(LOOPBACK, paths());
  const socket = await connected(server.port);
  await server[Symbol.asyncDispose]();
  assert.equal(await ended(socket), true);
  await using again = await serveHealth({ host: '127.0.0.1', port: server.port }, paths());
  assert.equal(again.port, server.port);
});
