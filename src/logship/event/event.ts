import type { Content } from '../read/contents.ts';
import type { Cut, Mark, Span } from '../read/progress.ts';

/** What was logged at once: a line, or a line and the traceback below it. */
export type LogEvent = Readonly<
  Pick<OpenEvent, 'content' | 'offset' | 'text' | 'lines' | 'timeMs' | 'isDated' | 'spans'>
>;

/** What an event may have at most; further lines are events of their own. */
export const MAX_LINES = 1000;
export const MAX_LENGTH = 1024 * 1024;
/**
 * How far behind its last line an event's next one may come, where several write to one file. Only places in the file may
 * end an event by themselves: a second reading finds those again.
 */
export const REACH_BYTES = 64 * 1024;

/** An event that further lines may join. */
export class OpenEvent {
  /** The generation that it begins in; its first line's place there names the document. */
  readonly content: Content;
  readonly offset: number;
  /** Its own time, or the last dated one's before it, in milliseconds since the epoch. */
  readonly timeMs: number;
  /** Whether that is its own. */
  readonly isDated: boolean;
  /** One a generation that its lines lie in: a rotation may have come between them. */
  readonly spans: Span[];
  /** Who wrote it, where the format tells. */
  readonly pid: number;
  /** Its lines without their ends, joined by newlines. */
  text: string;
  /** How many they are. */
  lines = 1;
  /** No line of its generation from here on belongs to it, as an earlier run decided. */
  limit = Infinity;
  /** Set when lines of the next generation belong to it. */
  onto: Cut['onto'];
  /** When its last line came. */
  touchedMs: number;
  /** In which round of reading that was. */
  touchedRound: number;
  #span: Span;

  /** @param span of its first line */
  constructor(first: FirstLine, span: Span, touched: Touched) {
    this.content = first.content;
    this.offset = first.offset;
    this.text = first.text;
    this.timeMs = first.timeMs;
    this.isDated = first.isDated;
    this.pid = first.pid;
    this.spans = [span];
    this.touchedMs = touched.ms;
    this.touchedRound = touched.round;
    this.#span = span;
  }

  /** Whether a line at this place, in the generation of the event's last line, is near enough. */
  reaches(offset: number): boolean {
    return offset < this.limit && offset - this.#span.end.offset <= REACH_BYTES;
  }

  hasRoomFor(text: string): boolean {
    return this.lines < MAX_LINES && this.text.length + text.length < MAX_LENGTH;
  }

  /** @param end behind the line */
  join(text: string, end: Mark, touched: Touched): void {
    this.#span.end = end;
    this.#add(text, touched);
  }

  /** A line joins from another generation, where the span begins. */
  goOn(text: string, span: Span, touched: Touched): void {
    this.#span = span;
    this.spans.push(span);
    this.#add(text, touched);
  }

  #add(text: string, { ms, round }: Touched): void {
    this.text += `\n${text}`;
    this.lines++;
    this.touchedMs = ms;
    this.touchedRound = round;
  }
}

type FirstLine = Pick<OpenEvent, 'content' | 'offset' | 'text' | 'timeMs' | 'isDated' | 'pid'>;

/** The framer's clock: set once a round of reading. */
export interface Touched {
  readonly ms: number;
  readonly round: number;
}
