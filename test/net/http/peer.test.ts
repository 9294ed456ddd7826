import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { test } from 'node:test';
import { isLocal } from '../../../src/net/http/peer.ts';

const asked = (remoteAddress: string | undefined, host: string | undefined, more: Record<string, string> = {}) =>
  isLocal({ remoteAddress, headers: new Map(Object.entries({ ...more, ...(host !== undefined && { host }) })) });

for (const address of ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1', '::FFFF:127.0.0.1']) {
  test(`${address} is within the Pod`, () => assert.equal(asked(address, 'localhost'), true));
}

for (const address of [
  '10.0.0.7',
  '::ffff:10.0.0.7',
  'fe80::1',
  '::ffff:7f00:1',
  '1270.0.0.1',
  '127.0.0.1.evil',
  undefined,
]) {
  test(`${address} is outside the Pod`, () => assert.equal(asked(address, 'localhost'), false));
}

for (const host of [
  'localhost',
  'LOCALHOST:9808',
  'localhost.',
  '127.0.0.1:80',
  '127.1.2.3',
  '[::1]',
  '[::1]:9808',
  hostname(),
]) {
  test(`a request for host ${host} is for this server`, () => assert.equal(asked('127.0.0.1', host), true));
}

for (const host of [
  'evil.example',
  'evil.example:9808',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  '10.0.0.7',
  '[::2]',
  '::1',
  'localhost:9808:1',
  'user@localhost',
  '',
  undefined,
]) {
  test(`a request for ${host ?? 'no host'} is not for this server, as in a DNS rebinding attack`, () =>
    assert.equal(asked('127.0.0.1', host), false));
}

test("a proxy's forwarding headers are not trusted", () => {
  const forwarded = {
    'x-forwarded-for': '127.0.0.1',
    'x-real-ip': '127.0.0.1',
    'x-forwarded-host': 'localhost',
    forwarded: 'for=127.0.0.1',
  };
  assert.equal(asked('10.0.0.7', 'localhost', forwarded), false);
  assert.equal(asked('127.0.0.1', 'evil.example', forwarded), false);
});
