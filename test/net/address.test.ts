import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAddress, formatListen, parseAddress, parseListen } from '../../src/net/dial/address.ts';

for (const text of ['mariadb:3306', '127.0.0.1:1', '[::1]:65535']) {
  test(`${text} is an address and is formatted as it was parsed`, () =>
    assert.equal(formatAddress(parseAddress(text)), text));
}

for (const text of [
  '',
  'mariadb',
  'mariadb:',
  ':3306',
  'mariadb:0',
  'mariadb:65536',
  '::1:3306',
  'a b:1',
  'http://a:1',
  'a:1/x',
]) {
  test(`'${text}' is not an address`, () => assert.throws(() => parseAddress(text), RangeError));
}

for (const [text, expected] of [
  ['9809', { port: 9809 }],
  [':9809', { port: 9809 }],
  [':0', { port: 0 }],
  ['127.0.0.1:9809', { host: '127.0.0.1', port: 9809 }],
  ['[::1]:0', { host: '::1', port: 0 }],
] as const) {
  test(`'${text}' is a listen address`, () => assert.deepEqual(parseListen(text), expected));
}

for (const text of ['', ':', ':65536', '127.0.0.1', '127.0.0.1:', '::1', 'http://a:1']) {
  test(`'${text}' is not a listen address`, () => assert.throws(() => parseListen(text), RangeError));
}

test('a listen address is formatted with its host, if it has one', () => {
  assert.equal(formatListen({ port: 9809 }), 'port 9809');
  assert.equal(formatListen({ host: '::1', port: 9809 }), '[::1]:9809');
});
