/**
 * The part of Node's Buffer that kolla-core uses, implemented with native/values.c. Unknown encodings are an error,
 * never UTF-8.
 */
import { runsOf } from './utf8.ts';

type Encoding = 'utf8' | 'utf-8' | 'latin1' | 'hex' | 'utf16le' | 'base64' | 'base64url';

/** Interface that the class below implements. */
// eslint-disable-next-line typescript/no-unsafe-declaration-merging -- a method would cost a call for nothing but its type
export interface Buffer {
  subarray(from?: number, to?: number): Buffer;
}

// @ts-expect-error -- `from` is Node's: it takes a text too, and no function that maps
export class Buffer extends Uint8Array {
  static override from(value: string | ArrayBufferLike | ArrayLike<number>, how?: unknown, length?: unknown): Buffer {
    if (typeof value === 'string') return encoded(value, how as Encoding | undefined);
    if (value instanceof ArrayBuffer) return new Buffer(value, how as number | undefined, length as number | undefined);
    return new Buffer(value as ArrayLike<number>);
  }

  static alloc(length: number, fill?: string): Buffer {
    const bytes = new Buffer(length);
    return fill === undefined ? bytes : bytes.fill(fill.charCodeAt(0));
  }

  static allocUnsafe(length: number): Buffer {
    return new Buffer(length);
  }

  static allocUnsafeSlow(length: number): Buffer {
    return new Buffer(length);
  }

  static override of(...bytes: number[]): Buffer {
    return new Buffer(bytes);
  }

  static byteLength(text: string): number {
    return utf8(text).byteLength;
  }

  static compare(a: Uint8Array, b: Uint8Array): -1 | 0 | 1 {
    return Math.sign(sys.compare(a, b)) as -1 | 0 | 1;
  }

  static concat(pieces: readonly Uint8Array[], length = pieces.reduce((sum, piece) => sum + piece.length, 0)): Buffer {
    const whole = new Buffer(length);
    let at = 0;
    for (const piece of pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    return whole;
  }

  override toString(encoding: Encoding = 'utf8', from = 0, to = this.length): string {
    const end = Math.min(to, this.length);
    if (encoding === 'utf8' || encoding === 'utf-8') return decoded(super.subarray(from, end));
    const bytes = super.subarray(from, end);
    if (encoding === 'latin1') return latin1(bytes);
    if (encoding === 'hex') return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    if (encoding === 'base64') return btoa(latin1(bytes));
    if (encoding === 'base64url')
      return btoa(latin1(bytes)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
    if (encoding === 'utf16le')
      return Array.from({ length: bytes.length >> 1 }, (_, i) =>
        String.fromCharCode(bytes[2 * i]! | (bytes[2 * i + 1]! << 8)),
      ).join('');
    throw new TypeError(`Unknown encoding: ${String(encoding)}`);
  }

  equals(other: Uint8Array): boolean {
    return sys.compare(this, other) === 0;
  }

  /** Compares with a range of another one, or all of it. */
  compare(other: Uint8Array, from = 0, to = other.length, ownFrom = 0, ownTo = this.length): -1 | 0 | 1 {
    return Buffer.compare(super.subarray(ownFrom, ownTo), other.subarray(from, to));
  }

  copy(into: Uint8Array, at = 0, from = 0, to = this.length): number {
    const piece = super.subarray(from, Math.min(to, from + into.length - at));
    into.set(piece, at);
    return piece.length;
  }

  swap16(): this {
    for (let at = 0; at + 1 < this.length; at += 2) [this[at], this[at + 1]] = [this[at + 1]!, this[at]!];
    return this;
  }

  static isBuffer(value: unknown): value is Buffer {
    return value instanceof Buffer;
  }

  /** @returns the number of bytes written */
  write(text: string, at = 0, length = this.length - at): number {
    const bytes = new Uint8Array(utf8(text)).subarray(0, length);
    this.set(bytes, at);
    return bytes.length;
  }

  writeUInt8(value: number, at = 0): number {
    this.#view(at, 1).setUint8(0, value);
    return at + 1;
  }

  writeUInt16BE(value: number, at = 0): number {
    this.#view(at, 2).setUint16(0, value);
    return at + 2;
  }

  writeUInt32BE(value: number, at = 0): number {
    this.#view(at, 4).setUint32(0, value);
    return at + 4;
  }

  swap32(): this {
    for (let at = 0; at + 3 < this.length; at += 4) super.subarray(at, at + 4).reverse();
    return this;
  }

  readUInt8(at = 0): number {
    return this.#view(at, 1).getUint8(0);
  }

  readUInt16LE(at = 0): number {
    return this.#view(at, 2).getUint16(0, true);
  }

  readUInt16BE(at = 0): number {
    return this.#view(at, 2).getUint16(0);
  }

  readUInt32LE(at = 0): number {
    return this.#view(at, 4).getUint32(0, true);
  }

  readUInt32BE(at = 0): number {
    return this.#view(at, 4).getUint32(0);
  }

  readInt32LE(at = 0): number {
    return this.#view(at, 4).getInt32(0, true);
  }

  /** @param length up to 6 bytes */
  readUIntLE(at: number, length: number): number {
    let value = 0;
    for (let i = length - 1; i >= 0; i--) value = value * 256 + this[at + i]!;
    return value;
  }

  readInt32BE(at = 0): number {
    return this.#view(at, 4).getInt32(0);
  }

  readBigInt64BE(at = 0): bigint {
    return this.#view(at, 8).getBigInt64(0);
  }

  readBigUInt64LE(at = 0): bigint {
    return this.#view(at, 8).getBigUint64(0, true);
  }

  /** Throws RangeError beyond the end of the buffer, like DataView. */
  #view(at: number, length: number): DataView {
    return new DataView(this.buffer, this.byteOffset + at, Math.min(length, Math.max(0, this.length - at)));
  }
}

/** A lone surrogate has no UTF-8 encoding. */
function utf8(text: string): ArrayBuffer {
  return sys.encode(text.toWellFormed());
}

function encoded(text: string, encoding: Encoding = 'utf8'): Buffer {
  if (encoding === 'utf8' || encoding === 'utf-8') return new Buffer(utf8(text));
  if (encoding === 'latin1') {
    // As in latin1() below.
    const ascii = utf8(text);
    if (ascii.byteLength === text.length) return new Buffer(ascii);
    return Buffer.from(Array.from({ length: text.length }, (_, i) => text.charCodeAt(i)));
  }
  if (encoding === 'base64') return encoded(atob(text), 'latin1');
  if (encoding === 'hex') {
    const digits = /^(?:[0-9a-f]{2})*/i.exec(text)![0];
    const bytes = new Buffer(digits.length / 2);
    for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16);
    return bytes;
  }
  throw new TypeError(`Unknown encoding: ${encoding}`);
}

function decoded(bytes: Uint8Array): string {
  return sys.decode(bytes, 0, bytes.length) ?? fixed(bytes);
}

/** Bytes per call of String.fromCharCode, whose number of arguments is limited by the stack. */
const AT_ONCE = 4096;

function latin1(bytes: Uint8Array): string {
  // ASCII is the same in both; every other UTF-8 character has more bytes.
  const ascii = sys.decode(bytes, 0, bytes.length);
  if (ascii?.length === bytes.length) return ascii;
  let text = '';
  for (let at = 0; at < bytes.length; at += AT_ONCE) text += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE));
  return text;
}

/** One U+FFFD for each invalid byte and each truncated character, as in WHATWG's decoder. */
function fixed(bytes: Uint8Array): string {
  let text = '';
  for (const [from, to, isText] of runsOf(bytes)) text += isText ? sys.decode(bytes, from, to - from) : '\ufffd';
  return text;
}

/** Whether all bytes are valid UTF-8. */
export function isUtf8(bytes: Uint8Array): boolean {
  return sys.decode(bytes, 0, bytes.length) !== undefined;
}
