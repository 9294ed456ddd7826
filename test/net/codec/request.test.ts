import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeHead, HttpParseError } from '../../../src/net/codec/head.ts';
import { RequestReader } from '../../../src/net/codec/request.ts';

const GET = Buffer.from('GET /livez?a=b HTTP/1.1\r\nHost: x:1\r\nAccept: */*\r\n\r\n');

test('a request is read however it is cut', () => {
  for (let at = 0; at < GET.length; at++) {
    const reader = new RequestReader();
    assert.equal(reader.push(GET.subarray(0, at)), undefined);
    const { method, target, headers } = reader.push(GET.subarray(at)) ?? {};
    assert.deepEqual([method, target, headers?.get('host')], ['GET', '/livez?a=b', 'x:1'], `cut at ${at}`);
  }
});

for (const text of [
  '\u0016\u0003\u0001 hello\r\n\r\n',
  'GET /\r\n\r\n',
  'GET / HTTP/2\r\n\r\n',
  'GET  HTTP/1.1\r\n\r\n',
  'get / HTTP/1.1\r\n\r\n',
  'GET / a HTTP/1.1\r\n\r\n',
  'GET / HTTP/1.1\r\nHost\r\n\r\n',
])
  test(`no request: ${JSON.stringify(text)}`, () => {
    assert.throws(() => new RequestReader().push(Buffer.from(text)), HttpParseError);
  });

test('a head longer than the limit is told from one that is wrong', () => {
  const reader = new RequestReader(100);
  assert.throws(
    () => reader.push(Buffer.from(`GET / HTTP/1.1\r\nX: ${'x'.repeat(200)}`)),
    (error) => error instanceof HttpParseError && error.isTooLong,
  );
});

test('a head is encoded byte for byte', () => {
  const head = encodeHead('GET /\u00e4 HTTP/1.1', [['Host', 'x']]);
  assert.equal(Buffer.from(head).toString('latin1'), 'GET /\u00e4 HTTP/1.1\r\nHost: x\r\n\r\n');
});

test('a value that would end its line is not sent', () => {
  for (const value of ['a\r\nX: y', 'a\nb', 'a\u0000b'])
    assert.throws(() => encodeHead('GET / HTTP/1.1', [['X', value]]), TypeError);
});
