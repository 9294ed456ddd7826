/** Uses of Node's Buffer in our code, as one list for both engines. */
import { isUtf8 } from 'node:buffer';

const TEXTS = ['', 'a', 'Ü 日本 😀', '\0\u007f\u0080\u00ff\u0100', '\ud83d', 'x\ude00y', 'a\r\n'];
const BYTES = [
  [],
  [0],
  [0x41, 0xff, 0x80],
  [0xc3, 0x9c],
  [0xc3],
  [0xe6, 0x97],
  [0xf0, 0x9f, 0x98, 0x80],
  [0xed, 0xa0, 0x80],
];
// Each byte around the limits of UTF-8's table, alone and as a continuation.
const LEADS = [0x41, 0x80, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5];
const SECONDS = [0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc2];
const PAIRS = LEADS.flatMap((lead) => SECONDS.map((second) => [lead, second]));
const DAMAGED = PAIRS.flatMap((pair) => [pair, [0x61, ...pair, 0x80], [...pair, 0xbf, 0xbf, 0x62]]);
const BASE64 = ['', 'QQ==', 'QUI=', 'QUJD', 'QUJDRA==', '+/+/'];
const HEX = ['', '00', 'fF10', '0', 'abc', 'zz', '00zz11'];
const NUMBERS = Array.from({ length: 16 }, (_, i) => (i * 37 + 200) % 256);

const cases: Readonly<Record<string, () => unknown>> = {
  'texts to UTF-8': () => TEXTS.map((text) => Buffer.from(text)),
  'texts to UTF-8 by name': () => TEXTS.map((text) => Buffer.from(text, 'utf8')),
  'lengths of texts': () => TEXTS.map((text) => Buffer.byteLength(text)),
  'texts to Latin-1': () => TEXTS.map((text) => Buffer.from(text, 'latin1')),
  'base64 to bytes': () => BASE64.map((text) => Buffer.from(text, 'base64')),
  'hex to bytes': () => HEX.map((text) => Buffer.from(text, 'hex')),
  'bytes to texts': () => BYTES.map((bytes) => Buffer.from(bytes).toString()),
  'damaged bytes to texts': () => DAMAGED.map((bytes) => Buffer.from(bytes).toString()),
  'whether damaged bytes are UTF-8': () => DAMAGED.map((bytes) => isUtf8(Uint8Array.from(bytes))),
  'bytes to Latin-1': () => BYTES.map((bytes) => Buffer.from(bytes).toString('latin1')),
  'bytes to base64': () => BYTES.map((bytes) => Buffer.from(bytes).toString('base64')),
  'bytes to hex': () => BYTES.map((bytes) => Buffer.from(bytes).toString('hex')),
  'bytes to UTF-16': () => BYTES.map((bytes) => Buffer.from(bytes).toString('utf16le')),
  'numbers the other way round': () => Buffer.from('0102030405060708ff', 'hex').subarray(0, 8).swap32().toString('hex'),
  'UTF-16 the other way round': () => Buffer.from('ÜA', 'latin1').swap16().toString('utf16le'),
  'parts of bytes to texts': () => [
    Buffer.from('abcdef').toString('utf8', 2, 4),
    Buffer.from('abc').toString('latin1', 1, 9),
  ],
  'whether bytes are UTF-8': () => BYTES.map((bytes) => isUtf8(Uint8Array.from(bytes))),
  'numbers in bytes': () => {
    const bytes = Buffer.from(NUMBERS);
    return [
      bytes.readUInt8(3),
      bytes.readUInt16LE(1),
      bytes.readUInt16BE(1),
      bytes.readUInt32LE(2),
      bytes.readUInt32BE(2),
      bytes.readInt32BE(5),
      String(bytes.readBigInt64BE(7)),
      String(bytes.readBigUInt64LE(8)),
    ];
  },
  'a number beyond the end': () => Buffer.from(NUMBERS).readUInt32BE(13),
  'a number beyond the end of a part': () => Buffer.from(NUMBERS).subarray(0, 4).readUInt16LE(3),
  'a part is of the same bytes': () => {
    const bytes = Buffer.from(NUMBERS);
    bytes.subarray(4, 8)[0] = 7;
    return [bytes, bytes.subarray(-3), Buffer.isBuffer?.(bytes.subarray(1)) ?? true];
  },
  'bytes of a part of memory': () => Buffer.from(Uint8Array.from(NUMBERS).buffer, 2, 5),
  'a copy of bytes': () => {
    const bytes = Uint8Array.from(NUMBERS);
    const copy = Buffer.from(bytes);
    bytes[0] = 0;
    return copy;
  },
  'one after the other': () => Buffer.concat([Buffer.from('a'), Uint8Array.of(1, 2), Buffer.alloc(2)]),
  'in order': () => [
    Buffer.compare(Buffer.from('a'), Buffer.from('b')),
    Buffer.compare(Buffer.from('b'), Buffer.from('a')),
    Buffer.compare(Buffer.from('a'), Buffer.from('a')),
    Buffer.compare(Buffer.from('a'), Buffer.from('aa')),
  ],
  'the same': () => [Buffer.from('ab').equals(Uint8Array.of(97, 98)), Buffer.from('ab').equals(Buffer.from('abc'))],
  'into another one': () => {
    const into = Buffer.alloc(4);
    return [Buffer.from(NUMBERS).copy(into, 1, 2, 9), into];
  },
  'an unknown encoding': () => Buffer.from('a', 'none' as 'hex'),
  'bytes to an unknown encoding': () => Buffer.from('a').toString('none' as 'hex'),
};

/** The result of each case, in a form that JSON can represent. */
export function results(): Record<string, unknown> {
  return Object.fromEntries(Object.entries(cases).map(([name, run]) => [name, plain(tried(run))]));
}

function tried(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return `throws ${(error as Error).name}`;
  }
}

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return `bytes ${Array.from(value).join(' ')}`;
  return Array.isArray(value) ? value.map(plain) : value;
}

export function main(): Promise<number> {
  process.stdout.write(JSON.stringify(results()));
  return Promise.resolve(0);
}
