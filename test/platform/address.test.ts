import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAddress, parseAddress } from '../../src/platform/address.ts';

for (const text of ['mariadb:3306', '127.0.0.1:1', '[::1]:65535']) {
  test(`${text} is an address and is written as it was read`, () =>
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
