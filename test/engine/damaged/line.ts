import type { Socket } from 'node:net';
import { oneOf } from '../../support/random.ts';
import { changed, split, unasked } from './changes.ts';
import { RecordLine, type Piece } from './records.ts';

/** After this time without a byte the connection ends: the client waits for something that was damaged. */
const IDLE_MS = 200;
/** More would keep the server busy, not the client. */
const MOST_PIECES = 100;

/**
 * Records of a TLS server, some of them changed, dropped, doubled, split, or preceded by others, in pieces of any size. What
 * happens follows from the random numbers alone, but for the server's own.
 */
export class DamagedLine extends RecordLine {
  readonly #random: () => number;
  /** In how many records. */
  readonly #rate: number;
  readonly #chunk: number;

  constructor(raw: Socket, random: () => number) {
    super(raw);
    this.#random = random;
    this.#rate = oneOf(random, [0, 0.1, 0.2, 0.5]);
    this.#chunk = oneOf(random, [1, 5, 100, 70_000, 70_000, 70_000]);
    raw.setTimeout(IDLE_MS, () => void raw.destroy());
  }

  override _final(done: () => void): void {
    if (this.#random() < 0.1) this.raw.resetAndDestroy();
    else this.raw.end();
    done();
  }

  protected override pieces(piece: Piece): readonly Piece[] {
    if (this.#random() >= this.#rate) return [piece];
    switch (Math.floor(this.#random() * 8)) {
      case 0:
        return [];
      case 1:
        return [piece, piece];
      case 2:
        return [...unasked(this.#random), piece];
      case 3:
        return [piece, ...unasked(this.#random)];
      case 4:
        return split(piece, oneOf(this.#random, [1, 1, 2, 3, 7, 100]), MOST_PIECES);
      default:
        return [changed(this.#random, piece)];
    }
  }

  protected override padding(): number {
    return this.#random() < 0.05 ? Math.floor(this.#random() * 9000) : 0;
  }

  protected override send(bytes: Buffer): void {
    let rest = bytes;
    const part = this.#random();
    if (part < 0.01) rest = bytes.subarray(0, Math.floor(this.#random() * bytes.length));
    // Another version in the header.
    else if (part < 0.015) bytes[2] = Math.floor(this.#random() * 256);
    for (let pieces = 0; rest.length > 0 && pieces < MOST_PIECES; pieces++) {
      this.raw.write(rest.subarray(0, this.#chunk));
      rest = rest.subarray(this.#chunk);
    }
    if (rest.length > 0) this.raw.write(rest);
  }
}
