import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeHead } from '../../../src/net/codec/head.ts';

test('a head is encoded byte for byte', () => {
  const head = encodeHead('GET /\u00e4 HTTP/1.1', [['Host', 'x']]);
  assert.equal(Buffer.from(head).toString('latin1'), 'GET /\u00e4 HTTP/1.1\r\nHost: x\r\n\r\n');
});

test('a header value that would end its line is not sent', () => {
  // The last one is a line feed once it is cut to a byte.
  for (const value of ['a\r\nX: y', 'a\nb', 'a\u0000b', 'a\u010aX: y'])
    assert.throws(() => encodeHead('GET / HTTP/1.1', [['X', value]]), TypeError);
});
