/**
 * Header compression (RFC 7541): all of it for what is received, and for what is sent only literals, which are not indexed.
 *
 *   [name, value] -> encodeHeaders() -> a block
 *   the blocks of a connection, in their order -> HeaderDecoder, which keeps the table that they build -> [name, value]
 */
import { ResponseTooLargeError } from '../dial/too-large.ts';
import { Http2Error } from './error.ts';
import { decodeHuffman } from './huffman.ts';
import { STATIC_TABLE, type Header } from './static-table.ts';

export type { Header } from './static-table.ts';

/** The default of SETTINGS_HEADER_TABLE_SIZE, which we keep. */
const TABLE_BYTES = 4096;
/** What an entry counts in addition to its name and value (4.1). */
const ENTRY_BYTES = 32;
/** At most four bytes follow the first: more than any index or length of ours. */
const INTEGER_BITS_MAX = 28;

/** The block of these headers. Names are in lower case. */
export function encodeHeaders(headers: readonly Header[]): Buffer {
  return Buffer.concat(headers.flatMap(([name, value]) => [Buffer.from([0]), encodeText(name), encodeText(value)]));
}

function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text);
  const prefix = 0x7f;
  if (bytes.length < prefix) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  return Buffer.concat([Buffer.from([prefix, ...varint(bytes.length - prefix)]), bytes]);
}

/** Seven bits a byte, the lowest ones first. */
export function varint(value: number): number[] {
  const bytes: number[] = [];
  for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return [...bytes, value];
}

/** The headers of one connection. Names and values have one byte per character. */
export class HeaderDecoder {
  /** The latest first. */
  readonly #table: Header[] = [];
  #tableBytes = 0;
  #tableMaxBytes = TABLE_BYTES;
  readonly #maxBytes: number;
  #bytesLeft: number;

  /** @param maxBytes limit of all headers: one byte can stand for 4 KiB */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#bytesLeft = maxBytes;
  }

  /**
   * @param block whole
   * @throws Http2Error; ResponseTooLargeError
   */
  decode(block: Uint8Array): Header[] {
    const reader = new BlockReader(block);
    const headers: Header[] = [];
    while (!reader.isAtEnd) {
      const first = reader.peek();
      if ((first & 0xe0) === 0x20) {
        if (headers.length > 0) throw new Http2Error('a size of its header table in the middle of headers');
        this.#resize(reader.integer(5));
        continue;
      }
      const header = this.#next(reader, first);
      this.#bytesLeft -= sizeOf(header);
      if (this.#bytesLeft < 0) throw new ResponseTooLargeError(this.#maxBytes, 'a response head');
      headers.push(header);
    }
    return headers;
  }

  #next(reader: BlockReader, first: number): Header {
    if (first >= 0x80) return this.#at(reader.integer(7));
    const isKept = first >= 0x40;
    const index = reader.integer(isKept ? 6 : 4);
    const name = index === 0 ? reader.text() : this.#at(index)[0];
    const header: Header = [name, reader.text()];
    if (isKept) this.#keep(header);
    return header;
  }

  #at(index: number): Header {
    const found = STATIC_TABLE[index - 1] ?? this.#table[index - 1 - STATIC_TABLE.length];
    if (found === undefined) throw new Http2Error(`header ${index} of a table with less`);
    return found;
  }

  #keep(header: Header): void {
    this.#table.unshift(header);
    this.#tableBytes += sizeOf(header);
    this.#evict();
  }

  #resize(maxBytes: number): void {
    if (maxBytes > TABLE_BYTES) throw new Http2Error(`a header table of ${maxBytes} bytes`);
    this.#tableMaxBytes = maxBytes;
    this.#evict();
  }

  #evict(): void {
    while (this.#tableBytes > this.#tableMaxBytes) this.#tableBytes -= sizeOf(this.#table.pop()!);
  }
}

function sizeOf([name, value]: Header): number {
  return name.length + value.length + ENTRY_BYTES;
}

class BlockReader {
  readonly #block: Uint8Array;
  #at = 0;

  constructor(block: Uint8Array) {
    this.#block = block;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#block.length;
  }

  peek(): number {
    const byte = this.#block[this.#at];
    if (byte === undefined) throw new Http2Error('headers that end within one');
    return byte;
  }

  /** @param bits of the first byte that belong to the number */
  integer(bits: number): number {
    const prefix = 2 ** bits - 1;
    let value = this.#byte() & prefix;
    if (value < prefix) return value;
    for (let shift = 0; shift < INTEGER_BITS_MAX; shift += 7) {
      const byte = this.#byte();
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new Http2Error('a number of more than four bytes in headers');
  }

  text(): string {
    const isCoded = this.peek() >= 0x80;
    const length = this.integer(7);
    const bytes = this.#block.subarray(this.#at, this.#at + length);
    if (bytes.length < length) throw new Http2Error('headers that end within one');
    this.#at += length;
    return isCoded ? decodeHuffman(bytes) : Buffer.from(bytes).toString('latin1');
  }

  #byte(): number {
    const byte = this.peek();
    this.#at++;
    return byte;
  }
}
