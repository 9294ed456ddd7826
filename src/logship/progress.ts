/** A place between two lines of a generation. */
export interface Mark {
  /** Bytes from the beginning. */
  readonly offset: number;
  /** Whether a line that was too long is being skipped here, up to its newline. */
  readonly skipping: boolean;
  /** The time of the last dated line before it, in milliseconds since the epoch; of an undated line that follows. */
  readonly timeMs: number;
}

/** Some documents in a row of one generation that travel in the same batch. */
export interface Segment {
  readonly progress: Progress;
  /** Documents that are not settled yet. */
  left: number;
  end: Mark;
}

/**
 * How far a generation's documents are acknowledged without a gap. Batches are acknowledged in any order; only what
 * lies before the first open segment may be forgotten.
 */
export class Progress {
  #acknowledged: Mark;
  readonly #segments: Segment[] = [];

  constructor(from: Mark) {
    this.#acknowledged = from;
  }

  get acknowledged(): Mark {
    return this.#acknowledged;
  }

  /** Whether something is on its way. */
  get isOpen(): boolean {
    return this.#segments.length > 0;
  }

  /** Begins a segment; its documents are counted by `add`. */
  begin(): Segment {
    const segment = { progress: this, left: 0, end: this.#acknowledged };
    this.#segments.push(segment);
    return segment;
  }

  /** One document of the segment is in, or put aside for good. Returns whether the acknowledged mark moved. */
  settle(segment: Segment): boolean {
    segment.left--;
    let moved = false;
    for (let first = this.#segments[0]; first?.left === 0; first = this.#segments[0]) {
      this.#acknowledged = first.end;
      this.#segments.shift();
      moved = true;
    }
    return moved;
  }
}
