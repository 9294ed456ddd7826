import type { Content } from '../read/contents.ts';
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
  /** The event's lines without line endings, joined by newlines. */
  readonly text: string;
  /** Number of lines. */
  readonly lines: number;
  /** The reader's buffer while it contains the event's only line, from `start` to `end`. */
  readonly chunk: Buffer | undefined;
  readonly start: number;
  readonly end: number;
  /** One span per generation that contains lines of the event, because a rotation may have occurred in between. */
  readonly spans: readonly Span[];
}

/** Maximum number of lines in an event. Further lines become separate events. */
export const MAX_LINES = 1000;
export const MAX_LENGTH = 1024 * 1024;
/**
 * Maximum distance between an event's last line and its next one in a file with several writers. A distance may end an
 * event without a Cut in the checkpoint, since a second reading sees the same positions.
 */
export const REACH_BYTES = 64 * 1024;

/** An event that may still grow. */
export class OpenEvent implements LogEvent {
  readonly content: Content;
  readonly offset: number;
  readonly timeMs: number;
  readonly isDated: boolean;
  readonly spans: Span[];
  /** ID of the process that wrote the event, if the format names the process. */
  readonly pid: number;
  #text: string | undefined;
  chunk: Buffer | undefined;
  start = 0;
  end = 0;
  /** The event's size in the budget: its lines with their line endings, as in the files. */
  heldBytes: number;
  lines = 1;
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
   * @param span the span of its first line
   * @param timeMs its time; of a line without one, when it was read
   * @param text the text of its first line; undefined if `putInto` follows
   */
  constructor(
    content: Content,
    span: Span,
    timeMs: number,
    text: string | undefined,
    isDated: boolean,
    pid: number,
    touched: Touched,
  ) {
    this.content = content;
    this.offset = span.start;
    this.timeMs = timeMs;
    this.isDated = isDated;
    this.spans = [span];
    this.pid = pid;
    this.#text = text;
    this.chunk = undefined;
    this.heldBytes = span.end.offset - span.start;
    this.touchedMs = touched.ms;
    this.touchedRound = touched.round;
    this.#span = span;
  }

  /** Sets the first line as bytes in the reader's buffer. */
  putInto(chunk: Buffer, start: number, end: number): void {
    this.chunk = chunk;
    this.start = start;
    this.end = end;
  }

  get text(): string {
    return (this.#text ??= this.chunk!.toString('utf8', this.start, this.end));
  }

  /** Copies the text. Called before the reader's buffer is overwritten. */
  keep(): void {
    if (this.chunk === undefined) return;
    this.#text = this.text;
    this.chunk = undefined;
  }

  /** Whether a line at this offset, in the generation of the event's last line, is close enough to belong to it. */
  reaches(offset: number): boolean {
    return offset < this.limit && offset - this.#span.end.offset <= REACH_BYTES;
  }

  hasRoomFor(text: string): boolean {
    return this.lines < MAX_LINES && this.text.length + text.length < MAX_LENGTH;
  }

  /**
   * @param bytes size of the line with its line ending
   * @param end the position after the line
   */
  join(text: string, bytes: number, end: Mark, touched: Touched): void {
    this.#span.end = end;
    this.#add(text, bytes, touched);
  }

  /** Adds a line from another generation, which starts a new span. */
  goOn(text: string, bytes: number, span: Span, touched: Touched): void {
    this.#span = span;
    this.spans.push(span);
    this.#add(text, bytes, touched);
  }

  #add(text: string, bytes: number, { ms, round }: Touched): void {
    this.#text = `${this.text}\n${text}`;
    this.chunk = undefined;
    this.heldBytes += bytes;
    this.lines++;
    this.touchedMs = ms;
    this.touchedRound = round;
  }
}

/** The framer's clock, which is updated once per reading round. */
export interface Touched {
  readonly ms: number;
  readonly round: number;
}
