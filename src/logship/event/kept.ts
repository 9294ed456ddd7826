import type { Span } from '../position/progress.ts';
import type { Touched } from './event.ts';

/** The open events that are with a frame's table. */
export interface Kept {
  /** From the first line of the first event, so that the file is read again from there. */
  readonly span: Span;
  readonly bytes: number;
  /** Offset after the last line. */
  readonly next: number;
  readonly touched: Touched;
}
