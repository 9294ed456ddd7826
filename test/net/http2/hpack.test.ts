/** The examples of RFC 7541, and what nghttp2 makes of random headers. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http2';
import { connect, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Http2Error } from '../../../src/net/http2/error.ts';
import { FLAG, frame, FrameReader, TYPE } from '../../../src/net/http2/frames.ts';
import { encodeHeaders, HeaderDecoder, type Header } from '../../../src/net/http2/hpack.ts';
import { decodeHuffman } from '../../../src/net/http2/huffman.ts';
import { numbersFrom } from '../../support/random.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const MAX_BYTES = 65_536;
/** Sets the table to 256 bytes, as for the examples of responses. */
const SMALL = '3fe101';

const REQUESTS: readonly Header[][] = [
  [
    [':method', 'GET'],
    [':scheme', 'http'],
    [':path', '/'],
    [':authority', 'www.example.com'],
  ],
  [
    [':method', 'GET'],
    [':scheme', 'http'],
    [':path', '/'],
    [':authority', 'www.example.com'],
    ['cache-control', 'no-cache'],
  ],
  [
    [':method', 'GET'],
    [':scheme', 'https'],
    [':path', '/index.html'],
    [':authority', 'www.example.com'],
    ['custom-key', 'custom-value'],
  ],
];
const answer = (status: string, date: string): Header[] => [
  [':status', status],
  ['cache-control', 'private'],
  ['date', date],
  ['location', 'https://www.example.com'],
];
const RESPONSES: readonly Header[][] = [
  answer('302', 'Mon, 21 Oct 2013 20:13:21 GMT'),
  answer('307', 'Mon, 21 Oct 2013 20:13:21 GMT'),
  [
    ...answer('200', 'Mon, 21 Oct 2013 20:13:22 GMT'),
    ['content-encoding', 'gzip'],
    ['set-cookie', 'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1'],
  ],
];

for (const [what, blocks, wanted] of [
  [
    'C.3: requests without Huffman codes',
    [
      '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
      '8286 84be 5808 6e6f 2d63 6163 6865',
      '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
    ],
    REQUESTS,
  ],
  [
    'C.4: requests with Huffman codes',
    [
      '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
      '8286 84be 5886 a8eb 1064 9cbf',
      '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
    ],
    REQUESTS,
  ],
  [
    'C.6: responses with Huffman codes, with evictions',
    [
      `${SMALL} 4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3`,
      '4883 640e ffc1 c0bf',
      '88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07',
    ],
    RESPONSES,
  ],
] as const)
  test(`RFC 7541, ${what}`, () => {
    const decoder = new HeaderDecoder(MAX_BYTES);
    assert.deepEqual(
      blocks.map((block) => decoder.decode(hex(block))),
      wanted,
    );
  });

test('what we encode is decoded as it was', () => {
  const headers: Header[] = [
    [':path', '/a'],
    ['long', 'x'.repeat(126)],
    ['longer', 'y'.repeat(127)],
    ['longest', 'z'.repeat(10_000)],
  ];
  assert.deepEqual(new HeaderDecoder(MAX_BYTES).decode(encodeHeaders(headers)), headers);
});

for (const [what, block] of [
  ['index 0', '80'],
  ['an index beyond the tables', 'be'],
  ['an index that never ends', 'ff ff ff ff ff ff ff ff 0f'],
  ['a number that is cut off', 'ff'],
  ['a length beyond the block', '00 01 61 7e 61'],
  ['a name without a value', '00 01 61'],
  ['a table of more than 4 KiB', '3f e2 1f'],
  ['the size of the table after a header', '82 20'],
  ['the code of the end', '00 84 ff ff ff ff 00'],
  ['a byte of padding', '00 82 1f ff 00'],
  ['padding with a 0', '00 81 18 00'],
] as const)
  test(`a block with ${what} is no block`, () => {
    assert.throws(() => new HeaderDecoder(MAX_BYTES).decode(hex(block)), Http2Error);
  });

test('the table is emptied by a size of 0, and by an entry that exceeds it', () => {
  const entry = '40 01 61 01 62';
  const last = 'be';
  const of = (...blocks: string[]) => {
    const decoder = new HeaderDecoder(MAX_BYTES);
    return blocks.map((block) => decoder.decode(hex(block))).at(-1);
  };
  assert.deepEqual(of(entry, last), [['a', 'b']]);
  assert.throws(() => of(entry, `20 ${last}`), Http2Error);
  const tooLarge = encodeHeaders([['c', 'd'.repeat(5000)]]);
  tooLarge[0] = 0x40;
  const decoder = new HeaderDecoder(MAX_BYTES);
  decoder.decode(hex(entry));
  decoder.decode(tooLarge);
  assert.throws(() => decoder.decode(hex(last)), Http2Error);
});

test('headers that one byte each repeats are limited in all', () => {
  const decoder = new HeaderDecoder(MAX_BYTES);
  const block = Buffer.concat([encodeHeaders([['a', 'b'.repeat(4000)]]), Buffer.alloc(1000, 0xbe)]);
  block[0] = 0x40;
  assert.throws(() => decoder.decode(block), /^ResponseTooLargeError: a response head of more than 64 KiB$/);
});

test('each byte has its Huffman code, as nghttp2 encodes it; random headers come as they were sent', async (t) => {
  const random = numbersFrom(48);
  const text = (length: number, from: number, count: number) =>
    Array.from({ length }, () => String.fromCharCode(from + random(count))).join('');
  const names = Array.from({ length: 40 }, (_, i) => `x-${text(1 + random(12), 97, 26)}-${i}`);
  // Bytes that Node lets through: printable ASCII, and all above it. Among short codes a long one is worth its bits.
  const bytes = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).filter((one) =>
    /[\t\u0020-\u007e\u0080-\u00ff]/.test(one),
  );
  const coded = bytes.map((byte, i) => [`b-${i}`, `${'a'.repeat(40)}${byte}aa`] as const);
  const sent = Array.from({ length: 60 }, (_, i): Record<string, string> => {
    if (16 * i < coded.length) return Object.fromEntries(coded.slice(16 * i, 16 * (i + 1)));
    const count = random(12);
    return Object.fromEntries(
      Array.from({ length: count }, () => [
        names[random(names.length)]!,
        random(3) === 0 ? 'the same' : text(1 + random(80), 33, 94),
      ]),
    );
  });
  const server = createServer();
  server.on('stream', (stream, _headers) => {
    const index = (stream.id! - 1) / 2;
    stream.respond({ ':status': 200, ...sent[index], date: 'now' }, { endStream: true });
  });
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  t.after(() => socket.destroy());
  const decoder = new HeaderDecoder(2 ** 24);
  const heard = new Map<number, Header[]>();
  const done = Promise.withResolvers<void>();
  const reader = new FrameReader(({ type, stream, payload }) => {
    if (type !== TYPE.headers) return true;
    const headers = decoder.decode(payload);
    heard.set(stream, headers);
    if (stream === 1) assert.ok(payload.length < headers.flat().join('').length, 'the values are coded');
    if (heard.size === sent.length) done.resolve();
    return true;
  });
  socket.on('data', (piece: Buffer) => {
    try {
      reader.push(piece);
    } catch (error) {
      done.reject(error);
    }
  });
  socket.write(
    Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(TYPE.settings, 0, 0, Buffer.alloc(0))]),
  );
  const request = encodeHeaders([
    [':method', 'GET'],
    [':scheme', 'http'],
    [':path', '/'],
    [':authority', 'x'],
  ]);
  for (const index of sent.keys())
    socket.write(frame(TYPE.headers, FLAG.endHeaders | FLAG.endStream, 2 * index + 1, request));
  await done.promise;
  for (const [index, headers] of sent.entries())
    assert.deepEqual(
      Object.fromEntries(heard.get(2 * index + 1)!),
      { ':status': '200', ...headers, date: 'now' },
      `response ${index}`,
    );
});

test('a text of no bits is empty', () => {
  assert.equal(decodeHuffman(new Uint8Array()), '');
});
