import type { List } from './listing.ts';
import type { TailOptions } from './tail.ts';

export interface FollowOptions extends Omit<TailOptions, 'buffer' | 'displaced'> {
  /** Absolute globs. */
  readonly patterns: readonly string[];
  /** Globs: absolute, or without a slash, of names. */
  readonly excludes?: readonly string[];
  /** Our own, which is never shipped. */
  readonly stateDir?: string;
  /** At the very first start: what is done with what lies there. Undefined later. */
  readonly firstStart?: 'beginning' | 'end' | undefined;
  /** Rotated files that are older were there before us, in milliseconds since the epoch; the start, unless given. */
  readonly sinceMs?: number | undefined;
  /** Milliseconds of a clock that nobody sets. */
  readonly uptime?: () => number;
  /** How folders are read; with the file system's calls, unless given. */
  readonly list?: List | undefined;
}
