import type { Content } from './content.ts';
import type { Contents } from './contents.ts';
import type { Handles } from './handles.ts';
import type { Leads } from './leads.ts';
import type { LineReaderOptions } from './line-reader.ts';
import type { Beside } from './listing.ts';
import type { OpenLog } from './open-log.ts';

/** Options of the tails of one reader, which are of the type T. */
export interface TailOptions<T> extends LineReaderOptions {
  readonly contents: Contents;
  /** Buffer that all tails share, from `readBuffer`. */
  readonly buffer: Buffer;
  readonly open: OpenLog;
  readonly handles: Handles;
  readonly leads: Leads;
  /** Lists the files next to a path, among which a closed file is found after its rotation. */
  readonly beside: Beside;
  /**
   * Called when content was truncated, and the tail is at the start of the file. Returns whether older content must be
   * read first.
   */
  readonly displaced: (tail: T, displaced: Displaced) => boolean;
}

/** Truncated content, with our position in it. */
export interface Displaced {
  /** Undefined if no complete line was written. */
  readonly content: Content | undefined;
  readonly position: number;
  readonly skipping: boolean;
  /** The bytes before the position. */
  readonly lead: Buffer;
  /** The largest size that was seen. */
  readonly size: number;
  /** Writes to the file after this time belong to other generations. */
  readonly modifiedMs: number;
}
