import type { Content } from '../read/contents.ts';
import type { Span } from '../read/progress.ts';

/** What somebody logged at once: a line, or a line and the traceback below it. */
export interface LogEvent {
  /** The generation that it begins in; its first line's place there names the document. */
  readonly content: Content;
  readonly offset: number;
  /** Its lines without their ends, joined by newlines. */
  readonly text: string;
  /** How many they are. */
  readonly lines: number;
  /** Its own time, or the last dated one's before it, in milliseconds since the epoch. */
  readonly timeMs: number;
  /** Whether that is its own. */
  readonly isDated: boolean;
  /** One a generation that its lines lie in: a rotation may have come between them. */
  readonly spans: readonly Span[];
}
