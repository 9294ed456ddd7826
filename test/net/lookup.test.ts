import assert from 'node:assert/strict';
import { connect, type LookupFunction } from 'node:net';
import { test } from 'node:test';
import { lookupWithin } from '../../src/net/lookup.ts';
import { listenTcp } from '../support/server.ts';

/** The result of connecting to a port of that name. */
function connected(port: number, lookup: LookupFunction): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: 'localhost', port, lookup });
    socket.once('connect', () => resolve(socket.destroy() && 'connected'));
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
  });
}

test('a resolvable name is resolved as without the deadline', async () => {
  await using server = await listenTcp(() => {});
  assert.equal(await connected(server.port, lookupWithin(60_000)), 'connected');
});

test('silent DNS servers are distinguished from a silent host, and late answers are ignored', async () => {
  let answer: (() => void) | undefined;
  const late: LookupFunction = (_, __, callback) =>
    (answer = () => callback(null, [{ address: '127.0.0.1', family: 4 }]));
  await using server = await listenTcp(() => assert.fail('a client connected'));
  assert.equal(await connected(server.port, lookupWithin(1, late)), 'EAI_AGAIN');
  answer?.();
});
