/** Responses with random changes, from seeds: each ends in a response or in an error of ours, whatever its pieces. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TlsAlertError } from '../../../src/net/dial/tls-alert.ts';
import { ResponseTooLargeError } from '../../../src/net/dial/too-large.ts';
import { Http2Error } from '../../../src/net/http2/error.ts';
import { FLAG, frame, TYPE } from '../../../src/net/http2/frames.ts';
import { ResponseReader } from '../../../src/net/http2/response.ts';
import { numbersFrom } from '../../support/random.ts';
import { DATA, HEAD, NOTHING, SETTINGS, TRAILERS, uint32 } from './frames.ts';

const CASES = 10_000;
const MAX_BYTES = 65_536;
const all = (...frames: readonly Buffer[]) => Buffer.concat(frames);

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
/** With Huffman codes, and entries for the table: RFC 7541, C.6. */
const INDEXED = hex(
  '88 5885aec3771a4b 6196d07abe941054d444a8200595040b8166e082a62d1bff 6e919d29ad171863c78f0b97c8e9ae82ae43d3',
);
/** Two of those entries, and C.4. */
const CODED = hex('be c0 40 8825a849e95ba97d7f 8925a849e95bb8e8b4bf');
const BASES: readonly (readonly Buffer[])[] = [
  [SETTINGS, HEAD, DATA, TRAILERS],
  [SETTINGS, frame(TYPE.headers, FLAG.endHeaders, 1, INDEXED), frame(TYPE.headers, 5, 1, CODED)],
  [
    frame(TYPE.settings, 0, 0, all(Buffer.from([0, 4]), uint32(0))),
    frame(TYPE.ping, 0, 0, Buffer.alloc(8)),
    frame(TYPE.headers, FLAG.padded, 1, all(Buffer.from([2]), INDEXED.subarray(0, 9), Buffer.alloc(2))),
    frame(TYPE.continuation, FLAG.endHeaders, 1, INDEXED.subarray(9)),
    frame(TYPE.data, FLAG.padded, 1, all(Buffer.from([1]), Buffer.from('x'), NOTHING, Buffer.alloc(1))),
    frame(TYPE.goAway, 0, 0, all(uint32(1), uint32(0))),
    TRAILERS,
  ],
];

type Numbers = (below: number) => number;

function changed(frames: readonly Buffer[], below: Numbers): Buffer {
  const each = [...frames];
  if (below(3) === 0) each.splice(below(each.length + 1), 0, each[below(each.length)]!);
  if (below(6) === 0) each.splice(below(each.length), 1);
  const bytes = Buffer.concat(each);
  const count = below(4);
  for (let i = 0; i < count; i++) {
    const at = below(bytes.length);
    bytes[at] = below(2) === 0 ? below(256) : bytes[at]! ^ (1 << below(8));
  }
  return below(8) === 0 ? bytes.subarray(0, below(bytes.length)) : bytes;
}

/** What reading these pieces comes to, as a text. */
function outcome(pieces: readonly Uint8Array[]): string {
  let sent = 0;
  const reader = new ResponseReader(MAX_BYTES, (bytes) => (sent += bytes.length));
  try {
    for (const piece of pieces) reader.push(piece);
  } catch (error) {
    assert.ok(error instanceof Error);
    const isOurs = [Http2Error, ResponseTooLargeError, TlsAlertError].some((one) => error instanceof one);
    assert.ok(isOurs || /^the server (?:breaks off the call|ends the connection)/.test(error.message), error.stack);
    return String(error);
  }
  if (!reader.isDone) return reader.closed;
  const { headers, body } = reader.answer;
  return JSON.stringify([[...headers], body.toString('latin1'), sent]);
}

function inPieces(bytes: Buffer, below: Numbers): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = 1 + below(below(3) === 0 ? bytes.length : 12);
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return pieces;
}

for (const [index, frames] of BASES.entries())
  test(`response ${index} with changes, ${CASES} times: an error in our words, or a response`, (t) => {
    const counts = new Map<string, number>();
    for (let seed = 0; seed < CASES; seed++) {
      const below = numbersFrom(seed * BASES.length + index);
      const bytes = changed(frames, below);
      const whole = outcome([bytes]);
      assert.equal(outcome(inPieces(bytes, below)), whole, `seed ${seed}: ${bytes.toString('hex')}`);
      const kind = whole.startsWith('[') ? 'responses' : whole.startsWith('closed') ? 'ends' : 'errors';
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    t.diagnostic([...counts].map(([kind, count]) => `${count} ${kind}`).join(', '));
    // Fewer of one would make the comparison say little.
    for (const kind of ['responses', 'ends', 'errors']) assert.ok((counts.get(kind) ?? 0) > CASES / 50, kind);
  });
