import { ResponseTooLargeError } from './dial/too-large.ts';

const START_BYTES = 4096;

/** Bytes that arrive in pieces of any size, copied: a body in pieces of one byte must not cost an object for each. */
export class BoundedBytes {
  readonly #maxBytes: number;
  #room = Buffer.alloc(START_BYTES);
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @returns whether it still fits; if not, only its length is added */
  add(piece: Uint8Array): boolean {
    const from = this.#length;
    this.#length += piece.length;
    if (this.#length > this.#maxBytes) return false;
    if (this.#length > this.#room.length) this.#room = Buffer.concat([this.#room], 2 * this.#length);
    this.#room.set(piece, from);
    return true;
  }

  /** @throws ResponseTooLargeError if they were more than the limit */
  get whole(): Buffer {
    if (this.#length > this.#maxBytes) throw new ResponseTooLargeError(this.#maxBytes);
    return this.#room.subarray(0, this.#length);
  }
}
