import type { Content } from '../read/contents.ts';
import type { Span } from '../position/progress.ts';
import type { LogEvent } from './event.ts';

/**
 * A line in the reader's buffer that is an event by itself. One object is reused for all lines: a million new objects
 * would be most of the garbage collector's work.
 */
export class LoneLine implements LogEvent {
  content!: Content;
  offset = 0;
  timeMs = 0;
  readonly isDated = true;
  readonly lines = 1;
  chunk!: Buffer;
  start = 0;
  end = 0;
  spans: readonly Span[] = [];

  get text(): string {
    return this.chunk.toString('utf8', this.start, this.end);
  }

  set(content: Content, span: Span, chunk: Buffer, start: number, end: number): this {
    this.content = content;
    this.offset = span.start;
    this.timeMs = span.end.timeMs;
    this.spans = [span];
    this.chunk = chunk;
    this.start = start;
    this.end = end;
    return this;
  }
}
