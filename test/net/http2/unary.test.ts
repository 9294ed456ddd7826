/** Servers whose frames are written here: what HTTP/2 allows, what it does not, and what never ends. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { FLAG, frame, FrameReader, TYPE, type Frame } from '../../../src/net/http2/frames.ts';
import { encodeHeaders, HeaderDecoder } from '../../../src/net/http2/hpack.ts';
import { call, type UnaryRequest } from '../../../src/net/http2/unary.ts';
import { listenTcp } from '../../support/server.ts';
import { DATA, HEAD, NOTHING, SETTINGS, TRAILERS, uint32 } from './frames.ts';

const REQUEST: UnaryRequest = {
  headers: [
    [':method', 'POST'],
    [':path', '/a/B'],
    ['long', 'x'.repeat(300)],
  ],
  body: Buffer.from('body'),
  maxBytes: 65_536,
};
const PREFACE_BYTES = 24;

/** Calls a server that sends these bytes, or does that with a connection. */
async function called(t: TestContext, serve: Buffer | ((socket: Socket) => void), request = REQUEST) {
  await using server = await listenTcp((socket) => {
    socket.on('error', () => {});
    if (typeof serve === 'function') serve(socket);
    else socket.end(serve);
  });
  const socket = connect(server.port, '127.0.0.1');
  await once(socket, 'connect');
  const { headers, body } = await call(socket, request, t.signal);
  return { headers: Object.fromEntries(headers), body: body.toString() };
}

const all = (...frames: readonly Buffer[]) => Buffer.concat(frames);
const GOOD = { headers: { ':status': '200', 'grpc-status': '0' }, body: 'data' };

test('the request is complete before the server says anything, and settings and pings are acknowledged', async (t) => {
  const heard: Frame[] = [];
  const acknowledged = Promise.withResolvers<void>();
  const answer = await called(t, (socket) => {
    let preface = Buffer.alloc(0);
    const reader = new FrameReader((each) => {
      heard.push({ ...each, payload: Buffer.from(each.payload) });
      if (each.type === TYPE.data) socket.write(all(SETTINGS, frame(TYPE.ping, 0, 0, Buffer.from('12345678'))));
      if (each.type === TYPE.ping) {
        acknowledged.resolve();
        socket.end(all(HEAD, DATA, TRAILERS));
      }
      return true;
    });
    socket.on('data', (piece: Buffer) => {
      const rest = Math.max(0, PREFACE_BYTES - preface.length);
      preface = Buffer.concat([preface, piece.subarray(0, rest)]);
      reader.push(piece.subarray(rest));
    });
  });
  await acknowledged.promise;
  assert.deepEqual(answer, GOOD);
  const [settings, window, head, data, ...acks] = heard;
  assert.deepEqual([settings?.type, settings?.stream, settings?.payload.length], [TYPE.settings, 0, 18]);
  assert.deepEqual([window?.type, window?.stream], [TYPE.windowUpdate, 0]);
  assert.deepEqual(new HeaderDecoder(10_000).decode(head!.payload), REQUEST.headers);
  assert.deepEqual([data?.flags, Buffer.from(data!.payload).toString()], [FLAG.endStream, 'body']);
  const shown = acks.map(({ type, flags, payload }) => [type, flags, Buffer.from(payload).toString()]);
  assert.deepEqual(shown.slice(0, 2), [
    [TYPE.settings, FLAG.ack, ''],
    [TYPE.ping, FLAG.ack, '12345678'],
  ]);
});

const BLOCK = encodeHeaders([[':status', '200']]);
const pad = (bytes: Buffer) => all(Buffer.from([3]), bytes, Buffer.alloc(3));

for (const [what, frames] of [
  ['as usual', [SETTINGS, HEAD, DATA, TRAILERS]],
  [
    'after interim responses, settings of all kinds, windows and unknown frames',
    [
      frame(TYPE.settings, 0, 0, all(Buffer.from([0, 4]), uint32(0), Buffer.from([0, 99]), uint32(7))),
      frame(TYPE.settings, FLAG.ack, 0, NOTHING),
      frame(TYPE.windowUpdate, 0, 0, uint32(1)),
      frame(TYPE.headers, FLAG.endHeaders, 1, encodeHeaders([[':status', '103']])),
      frame(0xfa, 0xff, 77, Buffer.from('any')),
      HEAD,
      DATA,
      frame(TYPE.priority, 0, 1, Buffer.alloc(5)),
      TRAILERS,
    ],
  ],
  [
    'in headers of a byte each, with padding and a priority',
    [
      SETTINGS,
      frame(TYPE.headers, FLAG.padded | FLAG.priority, 1, pad(Buffer.alloc(5))),
      ...[...BLOCK].map((byte, i) =>
        frame(TYPE.continuation, i === BLOCK.length - 1 ? FLAG.endHeaders : 0, 1, Buffer.from([byte])),
      ),
      frame(TYPE.data, FLAG.padded, 1, pad(Buffer.from('da'))),
      frame(TYPE.data, 0, 1, NOTHING),
      frame(TYPE.data, 0, 1, Buffer.from('ta')),
      TRAILERS,
    ],
  ],
  [
    'of a server that is shut down meanwhile',
    [SETTINGS, HEAD, frame(TYPE.goAway, 0, 0, all(uint32(2 ** 31 - 1), uint32(0))), DATA, TRAILERS],
  ],
  ['with frames after its end', [SETTINGS, HEAD, DATA, TRAILERS, frame(TYPE.reset, 0, 1, uint32(0)), DATA]],
] as const)
  test(`a response ${what} is read, in any pieces`, async (t) => {
    assert.deepEqual(await called(t, all(...frames)), GOOD);
    const byByte = (socket: Socket) => {
      const bytes = all(...frames);
      const more = (at: number) => {
        if (at < bytes.length && !socket.destroyed) socket.write(bytes.subarray(at, at + 1), () => more(at + 1));
      };
      socket.setNoDelay();
      more(0);
    };
    assert.deepEqual(await called(t, byByte), GOOD);
  });

test('a response without trailers, or of headers alone, is complete', async (t) => {
  const end = frame(TYPE.data, FLAG.endStream, 1, Buffer.from('x'));
  assert.deepEqual(await called(t, all(SETTINGS, HEAD, end)), { headers: { ':status': '200' }, body: 'x' });
  const alone = frame(TYPE.headers, FLAG.endHeaders | FLAG.endStream, 1, encodeHeaders([[':status', '404']]));
  assert.deepEqual(await called(t, all(SETTINGS, alone)), { headers: { ':status': '404' }, body: '' });
});

for (const [what, frames, message] of [
  ['nothing', [], 'closed without a response: it may not speak HTTP/2'],
  ['its settings alone', [SETTINGS], 'closed without a response'],
  ['half of its response', [SETTINGS, HEAD], 'closed in the middle of its response'],
  ['a greeting', [Buffer.from('220 mail ESMTP\r\n')], 'the server does not speak HTTP/2: it sends no settings'],
  ['a greeting in bytes', [Buffer.from([74, 0, 0, 0, 10])], 'the server does not speak HTTP/2: it sends no settings'],
  ['no settings', [HEAD], 'the server does not speak HTTP/2: it sends no settings'],
  ['acknowledged settings', [frame(TYPE.settings, FLAG.ack, 0, NOTHING)], /it sends no settings$/],
  ['a TLS alert', [Buffer.from([21, 3, 3, 0, 2, 2, 70])], /^the server answered with a TLS alert/],
  ['a reset', [SETTINGS, frame(TYPE.reset, 0, 1, uint32(7))], 'the server breaks off the call (REFUSED_STREAM)'],
  ['a reset of its own kind', [SETTINGS, HEAD, frame(TYPE.reset, 0, 1, uint32(99))], /the call \(error 99\)$/],
  [
    'its end',
    [SETTINGS, frame(TYPE.goAway, 0, 0, all(uint32(0), uint32(11)))],
    'the server ends the connection before its response (ENHANCE_YOUR_CALM)',
  ],
  ['its end before the call', [SETTINGS, frame(TYPE.goAway, 0, 0, Buffer.alloc(8))], /its response \(NO_ERROR\)$/],
  ['data before headers', [SETTINGS, DATA], 'the server breaks HTTP/2: data before headers'],
  ['headers without a status', [SETTINGS, TRAILERS], 'the server breaks HTTP/2: headers without a status'],
  ['headers twice', [SETTINGS, HEAD, HEAD], 'the server breaks HTTP/2: headers after headers'],
  ['another stream', [SETTINGS, frame(TYPE.headers, FLAG.endHeaders, 3, BLOCK)], /a frame for stream 3$/],
  ['a pushed response', [SETTINGS, frame(TYPE.pushPromise, 4, 1, Buffer.alloc(8))], /not asked for$/],
  ['a continuation of nothing', [SETTINGS, frame(TYPE.continuation, 4, 1, BLOCK)], /the rest of no headers$/],
  ['a frame within headers', [SETTINGS, frame(TYPE.headers, 0, 1, BLOCK), DATA], /another frame within headers$/],
  ['settings of a stream', [SETTINGS, frame(TYPE.settings, 0, 1, NOTHING)], /a malformed frame of type 4$/],
  ['half a setting', [SETTINGS, frame(TYPE.settings, 0, 0, uint32(1))], /a malformed frame of type 4$/],
  ['half a ping', [SETTINGS, frame(TYPE.ping, 0, 0, uint32(1))], /a malformed frame of type 6$/],
  ['an end of two bytes', [SETTINGS, frame(TYPE.goAway, 0, 0, Buffer.alloc(2))], /a frame that is too short$/],
  ['more padding than data', [SETTINGS, HEAD, frame(TYPE.data, FLAG.padded, 1, Buffer.from([9, 1]))], /more padding/],
  ['padding of no data', [SETTINGS, HEAD, frame(TYPE.data, FLAG.padded, 1, NOTHING)], /more padding than data$/],
  ['a frame of 16 KiB and a byte', [SETTINGS, Buffer.from([0, 64, 1, 0, 0, 0, 0, 0, 1])], /a frame of 16385 bytes$/],
  ['headers that are none', [SETTINGS, frame(TYPE.headers, 4, 1, Buffer.from([0x80]))], /^the server breaks HTTP\/2: /],
] as const)
  test(`a server that sends ${what} is reported`, async (t) => {
    await assert.rejects(called(t, all(...frames)), { message });
  });

/** Sends the beginning, and then a frame again and again. */
function endless(begin: readonly Buffer[], again: Buffer): (socket: Socket) => void {
  const many = Buffer.concat(Array.from({ length: 100 }, () => again));
  return (socket) => {
    const more = (error?: Error | null) => void (error || socket.destroyed || socket.write(many, more));
    socket.write(all(SETTINGS, ...begin), more);
  };
}

const TOO_MANY = 'no end of its response after 1000 frames of HTTP/2';
const KEPT = encodeHeaders([['a', 'b'.repeat(4000)]]);
KEPT[0] = 0x40;

for (const [what, serve, message] of [
  ['pings', endless([], frame(TYPE.ping, 0, 0, Buffer.alloc(8))), TOO_MANY],
  ['settings', endless([], SETTINGS), TOO_MANY],
  ['windows', endless([], frame(TYPE.windowUpdate, 0, 1, uint32(1))), TOO_MANY],
  ['unknown frames', endless([], frame(0xee, 0, 0, Buffer.alloc(100))), TOO_MANY],
  ['interim responses', endless([], frame(TYPE.headers, 4, 1, encodeHeaders([[':status', '102']]))), TOO_MANY],
  [
    'empty continuations',
    endless([frame(TYPE.headers, 0, 1, BLOCK)], frame(TYPE.continuation, 0, 1, NOTHING)),
    TOO_MANY,
  ],
  [
    'continuations',
    endless([frame(TYPE.headers, 0, 1, BLOCK)], frame(TYPE.continuation, 0, 1, Buffer.alloc(1000))),
    'a response head of more than 64 KiB',
  ],
  [
    'headers that a byte each repeats',
    endless([], frame(TYPE.headers, 4, 1, all(KEPT, Buffer.alloc(10_000, 0xbe)))),
    'a response head of more than 64 KiB',
  ],
  ['data', endless([HEAD], frame(TYPE.data, 0, 1, Buffer.alloc(1000))), 'a response of more than 64 KiB'],
  [
    'padding',
    endless([HEAD], frame(TYPE.data, FLAG.padded, 1, all(Buffer.from([255]), Buffer.alloc(255)))),
    'a response of more than 64 KiB',
  ],
  ['empty data', endless([HEAD], frame(TYPE.data, 0, 1, NOTHING)), TOO_MANY],
] as const)
  test(`a server that sends ${what} without end is left`, async (t) => {
    await assert.rejects(called(t, serve), { message });
  });

test('an abort ends a call, also of a server that closes its window and sends nothing more', async () => {
  const closed = frame(TYPE.settings, 0, 0, all(Buffer.from([0, 4]), uint32(0)));
  const stop = new AbortController();
  await using server = await listenTcp((socket) => {
    socket.on('error', () => {});
    socket.write(closed);
    // The acknowledgment of these settings is the last that we send.
    let heard = Buffer.alloc(0);
    socket.on('data', (piece: Buffer) => {
      heard = Buffer.concat([heard, piece]);
      if (heard.includes(frame(TYPE.settings, FLAG.ack, 0, NOTHING))) stop.abort(new Error('late'));
    });
  });
  const socket = connect(server.port, '127.0.0.1');
  await once(socket, 'connect');
  await assert.rejects(call(socket, REQUEST, stop.signal), /^Error: late$/);
});

test('a request of more than one frame is refused', async (t) => {
  await assert.rejects(called(t, SETTINGS, { ...REQUEST, body: Buffer.alloc(16_385) }), RangeError);
});
