import type { Content } from '../read/contents.ts';
import type { Cut, Mark, Span } from '../read/progress.ts';

/** One logged event: a line, or a line with its traceback. */
export interface LogEvent {
  /** The generation it starts in; the position of its first line there identifies the document. */
  readonly content: Content;
  readonly offset: number;
  /** Its timestamp, or that of the last dated event before it, in milliseconds since the epoch. */
  readonly timeMs: number;
  /** Whether the timestamp is its own. */
  readonly isDated: boolean;
  /** Its lines without line ends, joined by newlines. */
  readonly text: string;
  /** Number of lines. */
  readonly lines: number;
  /** The reader's buffer as long as its only line is there, from `start` to `end`. */
  readonly chunk: Buffer | undefined;
  readonly start: number;
  readonly end: number;
  /** One per generation with lines of it: a rotation may have occurred in between. */
  readonly spans: readonly Span[];
}

/** Maximum lines of an event; further lines become separate events. */
export const MAX_LINES = 1000;
export const MAX_LENGTH = 1024 * 1024;
/**
 * Maximum distance between an event's last line and its next one in a file with several writers. Only file positions
 * may end an event by themselves, since a second reading sees the same ones.
 */
export const REACH_BYTES = 64 * 1024;

/** An event that can still grow. */
export class OpenEvent implements LogEvent {
  readonly content: Content;
  readonly offset: number;
  readonly timeMs: number;
  readonly isDated: boolean;
  readonly spans: Span[];
  /** The writing process, if the format shows it. */
  readonly pid: number;
  #text: string | undefined;
  chunk: Buffer | undefined;
  start = 0;
  end = 0;
  /** Its size in the budget: its lines with their ends, as they are in the files. */
  heldBytes: number;
  lines = 1;
  /** As decided by an earlier run, no line of its generation from this offset on belongs to it. */
  limit = Infinity;
  /** Set if lines of the next generation belong to it. */
  onto: Cut['onto'];
  /** When its last line arrived. */
  touchedMs: number;
  /** The round of reading of its last line. */
  touchedRound: number;
  #span: Span;

  /**
   * @param span of its first line
   * @param text of its first line; undefined if `putInto` follows
   */
  constructor(content: Content, span: Span, text: string | undefined, isDated: boolean, pid: number, touched: Touched) {
    this.content = content;
    this.offset = span.start;
    this.timeMs = span.end.timeMs;
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

  /** Its first line is there in the reader's buffer. */
  putInto(chunk: Buffer, start: number, end: number): void {
    this.chunk = chunk;
    this.start = start;
    this.end = end;
  }

  get text(): string {
    return (this.#text ??= this.chunk!.toString('utf8', this.start, this.end));
  }

  /** Its bytes are about to be overwritten. */
  keep(): void {
    if (this.chunk === undefined) return;
    this.#text = this.text;
    this.chunk = undefined;
  }

  /** Whether a line at this offset, in the generation of the event's last line, is close enough. */
  reaches(offset: number): boolean {
    return offset < this.limit && offset - this.#span.end.offset <= REACH_BYTES;
  }

  hasRoomFor(text: string): boolean {
    return this.lines < MAX_LINES && this.text.length + text.length < MAX_LENGTH;
  }

  /**
   * @param bytes of the line, with its end
   * @param end after the line
   */
  join(text: string, bytes: number, end: Mark, touched: Touched): void {
    this.#span.end = end;
    this.#add(text, bytes, touched);
  }

  /** Adds a line from another generation, where a new span starts. */
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

/** The framer's clock, updated once per round of reading. */
export interface Touched {
  readonly ms: number;
  readonly round: number;
}
