/** A position between two lines of a generation. */
export interface Mark {
  /** Offset in bytes. */
  readonly offset: number;
  /** Set while the rest of an overlong line is skipped. */
  readonly skipping: boolean;
  /**
   * Timestamp of the last dated line before it, in milliseconds since the epoch. It applies to undated lines that
   * follow.
   */
  readonly timeMs: number;
}

/**
 * The lines of one or more consecutive events in one generation: from the start of the first to the end of the last.
 * Lines of other events may be in between.
 */
export interface Span {
  readonly progress: Progress;
  readonly start: number;
  /** End offset. It grows with each line that joins, and is fixed when the event is complete. */
  end: Mark;
  /** Number of its events that are not settled. */
  open: number;
}

/**
 * An event ended by timeout and not by the following lines. A second reading would not end it there, and would add
 * later lines to a document that the server already has without them. So the checkpoint records it before the first
 * document after it is sent, and a second reading ends the event at the same position.
 */
export interface Cut {
  /** Start of the event in its generation. */
  readonly start: number;
  /** The offset from which no line of its generation belongs to it. */
  readonly at: number;
  /**
   * Set if a rotation occurred between its lines: then the first bytes of the next generation up to `to` belong to it.
   */
  readonly onto?: Onto;
}

/** Grows while lines join the event. */
interface Onto {
  /** The ID of the next generation. */
  readonly generation: string;
  to: number;
}

/** Number of settled spans that are kept before the array is compacted. */
const SLACK = 4096;
/** Distance from the newest span within which a span is looked up, since that many workers may write to one file. */
const NEAR = 64;

/**
 * Tracks how far a generation's events are acknowledged without a gap. Batches are acknowledged in any order, and lines
 * of several workers interleave: the mark only moves to a position that no event spans and before which all are
 * settled. So reading from there again yields the same events.
 */
export class Progress {
  #acknowledged: Mark;
  /** Spans ordered by start. Those before #first are settled. */
  readonly #spans: Span[] = [];
  #first = 0;
  /** Number of spans that are kept before they are packed. */
  #most = 2 * SLACK;

  constructor(from: Mark) {
    this.#acknowledged = from;
  }

  get acknowledged(): Mark {
    return this.#acknowledged;
  }

  /** Number of spans in memory, settled or not. */
  get kept(): number {
    return this.#spans.length;
  }

  /** Whether any event is open or in flight. */
  get isOpen(): boolean {
    return this.#first < this.#spans.length;
  }

  /**
   * Starts an event.
   * @param end the offset after its first line
   */
  begin(start: number, end: Mark): Span {
    const span = { progress: this, start, end, open: 1 };
    this.#spans.push(span);
    return span;
  }

  /**
   * Merges a complete event's span into the span that ends where it starts, so that events sent together cost one span.
   * Returns whether it did; then `before` must be settled once more, and `span` not.
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

  /** One event of the span is acknowledged, or in the dead-letter file. Returns whether the acknowledged mark moved. */
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

  /** One open span may hold the mark for days while thousands behind it are settled: merges those neighbours. */
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
