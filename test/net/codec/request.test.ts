import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpParseError } from '../../../src/net/codec/head.ts';
import { RequestReader, type RequestHead } from '../../../src/net/codec/request.ts';

const MAX_BYTES = 4096;

/** The head, and the number of chunks that it took. */
function read(pieces: readonly string[]): { readonly head: RequestHead; readonly took: number } | undefined {
  const reader = new RequestReader(MAX_BYTES);
  for (const [i, piece] of pieces.entries()) {
    const head = reader.push(Buffer.from(piece, 'latin1'));
    if (head !== undefined) return { head, took: i + 1 };
  }
  return undefined;
}

const shown = (text: string) => {
  const { method, target, headers } = read([text])?.head ?? {};
  return [method, target, Object.fromEntries(headers ?? [])];
};

const WHOLE = 'GET /readyz?verbose HTTP/1.1\r\nHost: localhost:9808\r\nAccept: */*\r\n\r\n';

test('a head is parsed identically in any chunks, and ends at its empty line', () => {
  const wanted = read([WHOLE])?.head;
  assert.deepEqual([wanted?.method, wanted?.target], ['GET', '/readyz?verbose']);
  for (let at = 1; at < WHOLE.length; at++)
    assert.deepEqual(read([WHOLE.slice(0, at), WHOLE.slice(at)]), { head: wanted, took: 2 });
  assert.deepEqual(read(Array.from(WHOLE)), { head: wanted, took: WHOLE.length });
});

test('bare line feeds end lines, leading empty lines are skipped, and the data after the head is not read', () => {
  assert.deepEqual(shown('\r\n\nHEAD / HTTP/1.0\nX: 1\n\nGET /more HTTP/1.1\n'), ['HEAD', '/', { x: '1' }]);
});

for (const [what, text] of [
  ['a TLS hello', '\u0016\u0003\u0001\u0002'],
  ['a leading space', ' GET / HTTP/1.1\r\n'],
  ['HTTP/0.9', 'GET /\r\n'],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n'],
  ['a target of two words', 'GET / /x HTTP/1.1\r\n'],
  ['a control character in the target', 'GET /\u0001 HTTP/1.1\r\n'],
  ['bytes beyond ASCII in the target', 'GET /\u00e9 HTTP/1.1\r\n'],
  ['an invalid method', 'G{T / HTTP/1.1\r\n'],
  ['a folded header', 'GET / HTTP/1.1\r\nHost: x\r\n y\r\n'],
  ['a space before the colon', 'GET / HTTP/1.1\r\nHost : x\r\n'],
  ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
  ['two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
] as const)
  test(`${what} is rejected`, () => {
    assert.throws(() => read([text]), HttpParseError);
    assert.throws(() => read(Array.from(text)), HttpParseError);
  });

test('an endless head is rejected at its limit, with or without line endings', () => {
  for (const more of ['x'.repeat(MAX_BYTES), 'x: y\r\n'.repeat(MAX_BYTES / 6)])
    assert.throws(
      () => read([`GET / HTTP/1.1\r\nHost: x\r\n`, more]),
      (error) => error instanceof HttpParseError && error.isTooLong,
    );
});
