import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerReader, type AnswerHead } from '../../../src/net/codec/answer.ts';
import { HttpParseError } from '../../../src/net/codec/head.ts';
import { TlsAlertError } from '../../../src/net/dial/tls-alert.ts';

interface Seen {
  readonly head: AnswerHead | undefined;
  readonly body: string;
  readonly isDone: boolean;
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}

/** The result of parsing these chunks and then the end of the connection. */
function read(pieces: readonly Uint8Array[], ends = false): Seen {
  let body = '';
  const heads: AnswerHead[] = [];
  const reader = new AnswerReader(
    (head) => void heads.push(head),
    (piece) => {
      assert.equal(heads.length, 1, 'the head comes before the body');
      body += Buffer.from(piece).toString('latin1');
    },
  );
  for (const piece of pieces) reader.push(piece);
  if (ends) reader.end();
  assert.ok(heads.length <= 1);
  assert.equal(reader.head, heads[0]);
  return { head: reader.head, body, isDone: reader.isDone };
}

function failure(text: string): HttpParseError {
  try {
    read([bytes(text)]);
  } catch (error) {
    assert.ok(error instanceof HttpParseError, String(error));
    return error;
  }
  return assert.fail(`${JSON.stringify(text.slice(0, 100))} is taken`);
}

/** Responses, their bodies, and whether only the end of the connection completes them. */
const ANSWERS: Readonly<Record<string, readonly [text: string, status: number, body: string, toTheEnd?: boolean]>> = {
  'a body with Content-Length': ['HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody', 200, 'body'],
  'no reason phrase': ['HTTP/1.1 404\r\nContent-Length: 0\r\n\r\n', 404, ''],
  'an empty reason phrase': ['HTTP/1.1 503 \r\nContent-Length: 2\r\n\r\nno', 503, 'no'],
  chunks: [
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x="1"\r\n0123456789\r\n0\r\n\r\n',
    200,
    'abc0123456789',
  ],
  'chunks with trailers': [
    'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, Chunked\r\n\r\n0001\r\na\r\n000\r\nX: y\r\nZ: w\r\n\r\n',
    200,
    'a',
  ],
  'a chunk that holds line feeds': [
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n\r\n\r\n\r\n0\r\n\r\n',
    200,
    '\r\n\r\n',
  ],
  'a body to the end of the connection': ['HTTP/1.0 200 OK\r\nServer: x\r\n\r\na\nb', 200, 'a\nb', true],
  'another transfer coding, to the end of the connection': [
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nxyz',
    200,
    'xyz',
    true,
  ],
  'no body with 204': ['HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n', 204, ''],
  'no body with 304': ['HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n', 304, ''],
  'interim responses': [
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na',
    200,
    'a',
  ],
  'lines that end with a line feed alone': ['HTTP/1.1 200 OK\nContent-Length: 2\n\nab', 200, 'ab'],
  'bytes above ASCII': [
    'HTTP/1.1 200 \u00e4\r\nX: \u00fc\r\nContent-Length: 2\r\n\r\n\u00ff\u0000',
    200,
    '\u00ff\u0000',
  ],
  'a space before the colon': ['HTTP/1.1 200 OK\r\nContent-Length\t : 1\r\n\r\na', 200, 'a'],
  'a folded header': ['HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 1\r\n\r\na', 200, 'a'],
  'a folded length': ['HTTP/1.1 200 OK\r\nContent-Length:\r\n\t1\r\n\r\na', 200, 'a'],
  'a carriage return within a header and before the end of a line': [
    'HTTP/1.1 200 OK\r\r\nX: a\rY: b\r\nContent-Length: 1\r\r\n\r\na',
    200,
    'a',
  ],
  'a length and chunks': [
    'HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
    200,
    'a',
  ],
  'two different Content-Lengths': ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 1\r\n\r\na', 200, 'a'],
  'a length too large for any body': [`HTTP/1.1 200 OK\r\nContent-Length: ${'9'.repeat(30)}\r\n\r\na`, 200, 'a', true],
  'the coding identity': ['HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 1\r\n\r\na', 200, 'a'],
  'HTTP/2 as a text': ['HTTP/2 200\r\nContent-Length: 1\r\n\r\na', 200, 'a'],
  'the same Content-Length twice': ['HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na', 200, 'a'],
};

for (const [what, [text, status, body, toTheEnd = false]] of Object.entries(ANSWERS)) {
  test(`${what}: parsed identically in any chunks`, () => {
    const whole = bytes(text);
    const wanted = read([whole], toTheEnd);
    assert.deepEqual([wanted.head?.status, wanted.body, wanted.isDone], [status, body, true]);
    for (let at = 0; at <= whole.length; at++)
      assert.deepEqual(read([whole.subarray(0, at), whole.subarray(at)], toTheEnd), wanted, `cut at ${at}`);
    assert.deepEqual(
      read(
        [...whole].map((each) => Uint8Array.of(each)),
        toTheEnd,
      ),
      wanted,
      'byte by byte',
    );
  });

  test(`${what}: incomplete before its last byte`, () => {
    const whole = bytes(text);
    for (let length = 0; length < whole.length; length++) {
      const { head, isDone } = read([whole.subarray(0, length)], true);
      // A body delimited by the end of the connection is complete at any point after its header.
      if (!toTheEnd || head === undefined) assert.equal(isDone, false, `${length} bytes`);
    }
    assert.equal(read([whole]).isDone, !toTheEnd);
  });
}

test('bytes after a complete response are not read', () => {
  const { body, isDone } = read([
    bytes('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 500 no\r\n\r\n'),
    bytes('x'),
  ]);
  assert.deepEqual([body, isDone], ['a', true]);
});

test('headers have lower-case names, and values without surrounding spaces', () => {
  const { head } = read([bytes('HTTP/1.0 200 OK\r\nContent-Type:\t text/x \r\nX-A: 1\r\nx-a:2\r\nEmpty:\r\n\r\n')]);
  assert.equal(head?.version, '1.0');
  assert.deepEqual(Object.fromEntries(head?.headers ?? []), { 'content-type': 'text/x', 'x-a': '1, 2', empty: '' });
});

for (const [what, text] of [
  ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ['another protocol without a line feed', '\u0000J\u0000\u000a5.5.5-10.11'],
  ['another protocol that starts like HTTP', 'HTTPS'],
  ['HTTP/0.9', '<html>'],
  ['HTTP/3', 'HTTP/3 200\r\n\r\n'],
  ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
  ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
  ['a status below 100', 'HTTP/1.1 099 OK\r\n\r\n'],
  ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
  ['a header without a colon', 'HTTP/1.1 200 OK\r\nnonsense\r\n\r\n'],
  ['a folded first header', 'HTTP/1.1 200 OK\r\n X: a\r\n\r\n'],
  ['a NUL in a header', 'HTTP/1.1 200 OK\r\nX: a\u0000b\r\n\r\n'],
  ['a length that is not a number', 'HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n'],
  ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'],
  ['an empty Content-Length', 'HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n'],
  ['an invalid chunk size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n'],
  ['a negative chunk size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n'],
  ['an empty chunk size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n'],
  ['a chunk size too large for a number', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffff\r\n'],
  ['a chunk longer than its size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n'],
] as const)
  test(`${what} is not a response`, () => {
    assert.equal(failure(text).isTooLong, false);
  });

for (const [what, text] of [
  ['a status line', `HTTP/1.1 200 ${'x'.repeat(310_000)}`],
  ['a header', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(310_000)}`],
  ['headers', `HTTP/1.1 200 OK\r\n${`X: ${'y'.repeat(100)}\r\n`.repeat(4000)}`],
  ['many headers', `HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(6000)}`],
  ['a folded header', `HTTP/1.1 200 OK\r\nX: y\r\n${' z\r\n'.repeat(6000)}`],
  ['interim responses', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(13_000)],
  ['trailers', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${'X: y\r\n'.repeat(60_000)}`],
  ['a chunk extension', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(17_000)}`],
] as const)
  test(`${what} without an end is rejected, and at most the head's limit is buffered`, () => {
    assert.equal(failure(text).isTooLong, true);
    const reader = new AnswerReader(
      () => {},
      () => {},
    );
    const pieces = [...bytes(text)].map((each) => Uint8Array.of(each));
    assert.throws(() => pieces.forEach((piece) => reader.push(piece)), HttpParseError);
  });

test('a TLS alert, also split after its third byte, is reported as such', () => {
  // RabbitMQ's, which ends with a line feed.
  const alert = bytes('\u0015\u0003\u0003\u0000\u0002\u0002\n');
  assert.throws(() => read([alert]), TlsAlertError);
  assert.throws(() => read([alert.subarray(0, 3), alert.subarray(3)]), TlsAlertError);
});

test('a body of any length is passed on without copies', () => {
  let seen = 0;
  const piece = new Uint8Array(65_536);
  const reader = new AnswerReader(
    () => {},
    (part) => {
      assert.equal(part.buffer, piece.buffer, 'a copy');
      seen += part.length;
    },
  );
  reader.push(bytes(`HTTP/1.1 200 OK\r\nContent-Length: ${2 ** 33}\r\n\r\n`));
  for (let i = 0; i < 100; i++) reader.push(piece);
  assert.deepEqual([seen, reader.isDone], [6_553_600, false]);
});
