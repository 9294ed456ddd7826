/**
 * MySQL's packets, and the values in them. A packet is a length (3 bytes), a number, and that many bytes; numbers are
 * little-endian. Of a server that may be hostile: every length is checked before it is used.
 */
import type { Parsed } from '../dial/conversation.ts';
import { ResponseTooLargeError } from '../dial/too-large.ts';

export const HEADER_BYTES = 4;
/** No greeting, login and row of ours is longer. */
const PACKET_MAX_BYTES = 65_536;

/** The first byte of a response. */
export const KIND = { ok: 0, more: 1, greeting: 10, null: 0xfb, end: 0xfe, error: 0xff } as const;

export interface Packet {
  readonly number: number;
  readonly payload: Buffer;
}

/** @throws ResponseTooLargeError before the packet is received */
export function packetIn(heard: Buffer): Parsed<Packet> {
  if (heard.length < HEADER_BYTES) return undefined;
  const length = heard.readUInt16LE(0) + (heard[2]! << 16);
  if (length > PACKET_MAX_BYTES) throw new ResponseTooLargeError(PACKET_MAX_BYTES);
  const end = HEADER_BYTES + length;
  if (heard.length < end) return undefined;
  return { is: { number: heard[3]!, payload: heard.subarray(HEADER_BYTES, end) }, length: end };
}

/** The packet in one piece, so that the caller can erase it. */
export function packetOf(number: number, ...parts: readonly Uint8Array[]): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  const packet = Buffer.concat([header, ...parts]);
  const length = packet.length - HEADER_BYTES;
  packet.set([length & 0xff, (length >> 8) & 0xff, length >> 16, number & 0xff]);
  return packet;
}

/** The server's bytes do not follow its protocol. */
export function malformed(what: string): Error {
  return new Error(`the server does not answer as MySQL does: ${what}`);
}

/** Prefixes of a length-encoded number, by its bytes. */
const WIDTHS: Readonly<Record<number, number>> = { 0xfc: 2, 0xfd: 3, 0xfe: 8 };

/** The values of a payload, in order. Each throws malformed() if the payload ends within it. */
export class Fields {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** The next byte, which is not taken; undefined at the end. */
  get next(): number | undefined {
    return this.#bytes[this.#at];
  }

  take(length: number): Buffer {
    if (length > this.left) throw malformed('a packet ends too early');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  rest(): Buffer {
    return this.take(this.left);
  }

  /** A number of up to 8 bytes. */
  number(width: number): number {
    return this.take(width).reduceRight((sum, byte) => sum * 256 + byte, 0);
  }

  /** Up to the next zero byte, which is taken too, or the end. */
  text(): string {
    const rest = this.rest();
    const end = rest.indexOf(0);
    if (end !== -1) this.#at -= rest.length - end - 1;
    return rest.toString('utf8', 0, end === -1 ? rest.length : end);
  }

  /** A number in one byte, or after a byte that says how many it has. */
  length(): number {
    const first = this.number(1);
    if (first < KIND.null) return first;
    const width = WIDTHS[first];
    if (width === undefined) throw malformed('a length is no number');
    return this.number(width);
  }

  /** Bytes after their length. */
  bytes(): Buffer {
    return this.take(this.length());
  }
}

/** The server's error, after its first byte. @param hasState whether an SQL state may precede the text */
export function errorIn(fields: Fields, hasState: boolean): { readonly errno: number; readonly text: string } {
  const errno = fields.number(2);
  const marker = '#'.charCodeAt(0);
  if (hasState && fields.next === marker) fields.take(6);
  return { errno, text: fields.rest().toString() };
}

/** What a server begins with. */
export type Opening =
  | { readonly kind: 'greeting'; readonly version: string; readonly fields: Fields }
  | { readonly kind: 'error'; readonly errno: number; readonly text: string }
  | { readonly kind: 'other' };

/** The first packet: a greeting up to the version, or why the server rejects clients (too many, a blocked host). */
export function openingIn(heard: Buffer): Parsed<Opening> {
  const kind = heard[HEADER_BYTES];
  if (kind === undefined) return undefined;
  if (kind !== KIND.greeting && kind !== KIND.error) return { is: { kind: 'other' }, length: heard.length };
  const parsed = packetIn(heard);
  if (parsed === undefined) return undefined;
  const { length } = parsed;
  const fields = new Fields(parsed.is.payload);
  if (fields.left === 0) return { is: { kind: 'other' }, length };
  fields.take(1);
  if (kind === KIND.error) return { is: { kind: 'error', ...errorIn(fields, false) }, length };
  // MariaDB prefixes its version with 5.5.5-, for replicas that compare 10 as less than 5.
  const version = fields.text().replace(/^5\.5\.5-/, '');
  return { is: { kind: 'greeting', version, fields }, length };
}
