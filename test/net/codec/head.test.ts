import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeHead, Lines } from '../../../src/net/codec/head.ts';

test('a head is encoded byte for byte', () => {
  const head = encodeHead('GET /\u00e4 HTTP/1.1', [['Host', 'x']]);
  assert.equal(Buffer.from(head).toString('latin1'), 'GET /\u00e4 HTTP/1.1\r\nHost: x\r\n\r\n');
});

test('a header value that would end its line is not sent', () => {
  // The last one is a line feed once it is cut to a byte.
  for (const value of ['a\r\nX: y', 'a\nb', 'a\u0000b', 'a\u010aX: y'])
    assert.throws(() => encodeHead('GET / HTTP/1.1', [['X', value]]), TypeError);
});

test('of a line that is not finished only the first characters are offered', () => {
  // A server that sends a long line byte by byte would else cost the square of its length.
  const lines = new Lines(1000);
  for (const byte of Buffer.from('x'.repeat(500))) lines.take(Uint8Array.of(byte), 0);
  assert.equal(lines.begun, 'x'.repeat(64));
  assert.equal(lines.take(Buffer.from('\nyz'), 0).line, 'x'.repeat(500));
  lines.take(Buffer.from('yz'), 0);
  assert.equal(lines.begun, 'yz');
});
