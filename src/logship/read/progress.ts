/** A place between two lines of a generation. */
export interface Mark {
  /** Bytes from the beginning. */
  readonly offset: number;
  /** Whether a line that was too long is being skipped here, up to its newline. */
  readonly skipping: boolean;
  /** The time of the last dated line before it, in milliseconds since the epoch; of an undated line that follows. */
  readonly timeMs: number;
}

/**
 * The lines of one event in one generation, or of several that follow each other: from where the first begins to behind the
 * last line. Others may lie between.
 */
export interface Span {
  readonly progress: Progress;
  readonly start: number;
  /** Grows with each line that joins; stands once the event is whole. */
  end: Mark;
  /** Events of it that are not settled. */
  open: number;
}

/**
 * An event that was ended by the clock and not by the lines that follow. Reading it again would not end it there, and its
 * later lines would be taken into a document that the server has already without them. So the checkpoint holds it before
 * the first document after it is sent, and a second reading ends the event at the same place.
 */
export interface Cut {
  /** Where the event begins in its generation. */
  readonly start: number;
  /** No line of its generation from here on belongs to it. */
  readonly at: number;
  /** Where a rotation came between its lines: the next generation's first bytes, up to `to`, belong to it. */
  readonly onto?: Onto;
}

/** Grows while lines join. */
interface Onto {
  /** The next generation's id. */
  readonly generation: string;
  to: number;
}

/** Settled spans that are kept before the array is made shorter. */
const SLACK = 4096;
/** How far back from the newest a span is looked for: as many workers may write to one file. */
const NEAR = 64;

/**
 * How far a generation's events are acknowledged without a gap. Batches are acknowledged in any order, and the lines of
 * several workers interleave: the mark only moves to a place that no event spans and before which all are settled. So
 * what is read from there again makes the same events.
 */
export class Progress {
  #acknowledged: Mark;
  /** In the order of their beginnings; those before #first are settled. */
  readonly #spans: Span[] = [];
  #first = 0;
  /** So many spans are kept before they are packed. */
  #most = 2 * SLACK;

  constructor(from: Mark) {
    this.#acknowledged = from;
  }

  get acknowledged(): Mark {
    return this.#acknowledged;
  }

  /** What is kept in memory, settled or not. */
  get kept(): number {
    return this.#spans.length;
  }

  /** Whether something is held or on its way. */
  get isOpen(): boolean {
    return this.#first < this.#spans.length;
  }

  /** An event begins. @param end behind its first line */
  begin(start: number, end: Mark): Span {
    const span = { progress: this, start, end, open: 1 };
    this.#spans.push(span);
    return span;
  }

  /**
   * Takes a whole event's span into the one that ends where it begins, so that what is sent together costs one span and not
   * one an event. Returns whether it did; then `before` is to be settled once more, and `span` is not.
   */
  join(before: Span, span: Span): boolean {
    if (before.progress !== this || span.start !== before.end.offset || before.open === 0) return false;
    const spans = this.#spans;
    let at = spans.length - 1;
    for (const least = Math.max(this.#first, at - NEAR); at > least && spans[at] !== span; at--);
    if (spans[at] !== span) return false;
    for (const last = spans.length - 1; at < last; at++) spans[at] = spans[at + 1]!;
    spans.pop();
    before.end = span.end;
    before.open++;
    return true;
  }

  /** One event of the span is in, or in the dead-letter file. Returns whether the acknowledged mark moved. */
  settle(span: Span): boolean {
    if (--span.open > 0) return false;
    const spans = this.#spans;
    let reach = this.#acknowledged;
    let first = this.#first;
    for (let at = first; at < spans.length && spans[at]!.open === 0; at++) {
      const { end } = spans[at]!;
      if (end.offset > reach.offset) reach = end;
      const next = spans[at + 1];
      if (next !== undefined && next.start < reach.offset) continue;
      first = at + 1;
      this.#acknowledged = reach;
    }
    const moved = first !== this.#first;
    this.#first = first;
    if (first > SLACK) {
      spans.splice(0, first);
      this.#first = 0;
    }
    if (spans.length > this.#most) this.#pack();
    return moved;
  }

  /** One that is open may hold the mark for days, while thousands behind it are settled: of these neighbours become one. */
  #pack(): void {
    const spans = this.#spans;
    let last = this.#first;
    for (let at = last + 1; at < spans.length; at++) {
      const [before, span] = [spans[last]!, spans[at]!];
      if (before.open > 0 || span.open > 0 || span.start > before.end.offset) spans[++last] = span;
      else if (span.end.offset > before.end.offset) before.end = span.end;
    }
    spans.length = Math.min(spans.length, last + 1);
    this.#most = Math.max(2 * SLACK, 2 * spans.length);
  }
}
