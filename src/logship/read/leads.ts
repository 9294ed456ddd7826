/** The number of a place. */
export type LeadNumber = number;

/** Number of places that are allocated together. */
const MANY = 32;
/** Of the bytes before a position these are kept: the rest is in the file, as long as it still has these. */
const KEPT_BYTES = 256;

/**
 * The bytes before the positions of many files, in a few pieces of memory: a Buffer of its own for each would cost the engine half
 * as much again, and leave holes when it goes.
 */
export class Leads {
  readonly #pieces: Buffer[] = [];
  readonly #lengths: number[] = [];
  readonly #free: LeadNumber[] = [];

  /** Number of places in use. */
  get size(): number {
    return this.#lengths.length - this.#free.length;
  }

  /** Copies the last bytes, KEPT_BYTES at most. */
  keep(bytes: Buffer): LeadNumber {
    const place = this.#free.pop() ?? this.#lengths.length;
    if (place === this.#pieces.length * MANY) this.#pieces.push(Buffer.allocUnsafeSlow(MANY * KEPT_BYTES));
    this.#lengths[place] = Math.min(bytes.length, KEPT_BYTES);
    bytes.subarray(-KEPT_BYTES).copy(this.#pieces[Math.floor(place / MANY)]!, (place % MANY) * KEPT_BYTES);
    return place;
  }

  /** A copy of the bytes. */
  at(place: LeadNumber): Buffer {
    const start = (place % MANY) * KEPT_BYTES;
    return Buffer.from(this.#pieces[Math.floor(place / MANY)]!.subarray(start, start + this.#lengths[place]!));
  }

  drop(place: LeadNumber): void {
    this.#free.push(place);
  }
}
