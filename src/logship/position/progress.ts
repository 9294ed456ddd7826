/**
 * A position between two lines of a generation. A class, like Span, because V8 allocates object literals that outlive
 * its first collections in the old generation, and one or two per line fill that within a second.
 */
export class Mark {
  /** Bytes from the start. */
  readonly offset: number;
  /** Set while the rest of an overlong line is skipped. */
  readonly skipping: boolean;
  /**
   * Timestamp of the last dated line before this position, in milliseconds since the epoch. It applies to undated lines
   * that follow.
   */
  readonly timeMs: number;

  constructor(offset: number, skipping: boolean, timeMs: number) {
    this.offset = offset;
    this.skipping = skipping;
    this.timeMs = timeMs;
  }
}

/**
 * The lines of one or more consecutive events in one generation: from the start of the first to the end of the last.
 * Lines of other events may be in between.
 */
export class Span {
  readonly progress: Progress;
  readonly start: number;
  /** End offset. It grows with each line that joins, and is fixed when the event is complete. */
  end: Mark;
  /** Number of the span's events that are not settled. */
  open: number;
  /** Whether the span's events are in the request being filled. */
  isFilled = false;
  /** The span that this one was merged into. */
  into: Span | undefined = undefined;

  constructor(progress: Progress, start: number, end: Mark, open: number) {
    this.progress = progress;
    this.start = start;
    this.end = end;
    this.open = open;
  }
}

/**
 * An event ended by timeout and not by the following lines. A second reading would not end it there, and would add
 * later lines to a document that the server already has without them. So the checkpoint records it before the first
 * document after it is sent, and a second reading ends the event at the same position.
 */
export interface Cut {
  /** Start of the event in its generation. */
  readonly start: number;
  /** The offset in that generation from which no line belongs to the event. */
  readonly at: number;
  /**
   * Set if a rotation occurred between the event's lines: the first bytes of the next generation up to `to` then belong
   * to the event.
   */
  readonly onto?: Onto;
}

/** The part of the next generation that belongs to the event. It grows while lines join. */
interface Onto {
  /** The ID of the next generation. */
  readonly generation: string;
  to: number;
}

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
   * Starts an event, or several that are sent together. Of lines that were read in one go it may be an earlier one than those
   * that began last.
   * @param end the offset after its first line, or after the last line of them all
   */
  begin(start: number, end: Mark, events = 1): Span {
    const span = new Span(this, start, end, events);
    const spans = this.#spans;
    let at = spans.length;
    while (at > this.#first && spans[at - 1]!.start > start) at--;
    if (at === spans.length) spans.push(span);
    else spans.splice(at, 0, span);
    return span;
  }

  /**
   * Merges a complete event's span into that of the document before it, if both are among the last ones: then neither
   * survives a collection. What this leaves, `merge` finds.
   * @returns whether it did; then `before` is settled once more, and `span` is not
   */
  join(before: Span, span: Span): boolean {
    const spans = this.#spans;
    // The next event has begun already, unless lines stand alone.
    const at = spans.at(-1) === span ? spans.length - 1 : spans.length - 2;
    if (at <= this.#first || spans[at] !== span || spans[at - 1] !== before || !areSent(before, span)) return false;
    before.end = span.end;
    before.open += span.open;
    const last = spans.pop()!;
    if (last !== span) spans[at] = last;
    return true;
  }

  /**
   * Merges neighboring spans of the request that has just been filled: their events are sent together, and thousands of
   * small objects slow down the garbage collector. Settled spans are merged too, because one open span may hold the
   * mark for days.
   */
  merge(): void {
    const spans = this.#spans;
    let kept = 0;
    let before: Span | undefined;
    for (let at = this.#first; at < spans.length; at++) {
      const span = spans[at]!;
      if (before !== undefined && (areSent(before, span) || areSettled(before, span))) {
        if (span.end.offset > before.end.offset) before.end = span.end;
        before.open += span.open;
        span.into = before;
        continue;
      }
      if (before !== undefined) before.isFilled = false;
      before = spans[kept++] = span;
    }
    if (before !== undefined) before.isFilled = false;
    spans.length = kept;
    this.#first = 0;
  }

  /** Events of the span are acknowledged, or in the dead-letter file. Returns whether the acknowledged mark moved. */
  settle(span: Span, events = 1): boolean {
    span.open -= events;
    if (span.open > 0) return false;
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
    return moved;
  }
}

function areSent(before: Span, span: Span): boolean {
  return before.isFilled && span.isFilled && span.start === before.end.offset;
}

function areSettled(before: Span, span: Span): boolean {
  return before.open === 0 && span.open === 0 && span.start <= before.end.offset;
}
