import type { Content } from '../read/content.ts';
import type { Cut, Mark, Span } from '../position/progress.ts';

/** One logged event: a line, or a line with its traceback. */
export interface LogEvent {
  /** The generation in which the event starts. The position of its first line there identifies the document. */
  readonly content: Content;
  readonly offset: number;
  /** The event's timestamp or, if it has none, that of UndatedTimes, in milliseconds since the epoch. */
  readonly timeMs: number;
  /** Whether the event has a timestamp of its own. */
  readonly isDated: boolean;
  /** The event's lines as bytes, without line endings, joined by newlines. */
  readonly text: Buffer;
  /** Number of lines. */
  readonly lines: number;
  /** One span per generation that contains lines of the event, because a rotation may have occurred in between. */
  readonly spans: readonly Span[];
}

/** Maximum number of lines in an event. Further lines become separate events. */
export const MAX_LINES = 1000;
/** Maximum size of its text; a longer line is an event of its own. */
export const MAX_BYTES = 1024 * 1024;
/**
 * Maximum distance between an event's last line and its next one in a file with several writers. A distance may end an
 * event without a Cut in the checkpoint, since a second reading sees the same positions.
 */
export const REACH_BYTES = 64 * 1024;

const NEWLINE = Buffer.of(10);

/** An event that may still grow. */
export class OpenEvent implements LogEvent {
  readonly content: Content;
  readonly offset: number;
  readonly timeMs: number;
  readonly isDated: boolean;
  readonly spans: Span[];
  /** ID of the process that wrote the event, if the format names the process. */
  readonly pid: number;
  /** The text in pieces, of which only `text` makes one: a traceback has hundreds of lines. */
  readonly #pieces: Buffer[];
  #bytes: number;
  /** The event's size in the budget: its lines with their line endings, as in the files. */
  heldBytes: number;
  lines: number;
  /** The offset in the event's generation from which no line belongs to it, as an earlier run has decided. */
  limit = Infinity;
  /** Set if lines of the next generation belong to the event. */
  onto: Cut['onto'];
  /** When the event's last line arrived. */
  touchedMs: number;
  /** The reading round of the event's last line. */
  touchedRound: number;
  #span: Span;

  /**
   * @param span the span of its lines
   * @param lines those that it has, with their size in the file
   */
  constructor(
    content: Content,
    span: Span,
    { timeMs, isDated, pid, text, lines = 1, heldBytes = span.end.offset - span.start }: Begun,
    touched: Touched,
  ) {
    this.content = content;
    this.offset = span.start;
    this.timeMs = timeMs;
    this.isDated = isDated;
    this.spans = [span];
    this.pid = pid;
    this.#pieces = [text];
    this.#bytes = text.length;
    this.lines = lines;
    this.heldBytes = heldBytes;
    this.touchedMs = touched.ms;
    this.touchedRound = touched.round;
    this.#span = span;
  }

  get text(): Buffer {
    const pieces = this.#pieces;
    if (pieces.length > 1) pieces.splice(0, pieces.length, Buffer.concat(pieces, this.#bytes));
    return pieces[0]!;
  }

  /** Whether a line at this offset, in the generation of the event's last line, is close enough to belong to it. */
  reaches(offset: number): boolean {
    return offset < this.limit && offset - this.#span.end.offset <= REACH_BYTES;
  }

  hasRoomFor(line: Buffer): boolean {
    return this.lines < MAX_LINES && this.#bytes + line.length < MAX_BYTES;
  }

  /**
   * @param line which the caller does not overwrite
   * @param bytes size of the line with its line ending
   * @param end the position after the line
   */
  join(line: Buffer, bytes: number, end: Mark, touched: Touched): void {
    this.#span.end = end;
    this.#add(line, bytes, touched);
  }

  /** Adds a line from another generation, which starts a new span. */
  goOn(line: Buffer, bytes: number, span: Span, touched: Touched): void {
    this.#span = span;
    this.spans.push(span);
    this.#add(line, bytes, touched);
  }

  #add(line: Buffer, bytes: number, { ms, round }: Touched): void {
    this.#pieces.push(NEWLINE, line);
    this.#bytes += line.length + 1;
    this.heldBytes += bytes;
    this.lines++;
    this.touchedMs = ms;
    this.touchedRound = round;
  }
}

/** How an event begins. */
export interface Begun {
  /** Its time; of a line without one, when it was read. */
  readonly timeMs: number;
  readonly isDated: boolean;
  readonly pid: number;
  /** Its text so far, which the caller does not overwrite. */
  readonly text: Buffer;
  readonly lines?: number;
  readonly heldBytes?: number;
}

/** The framer's clock, which is updated once per reading round. */
export interface Touched {
  readonly ms: number;
  readonly round: number;
}
