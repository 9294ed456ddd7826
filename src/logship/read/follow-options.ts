import type { Handles } from './handles.ts';
import type { List } from './listing.ts';
import type { TailOptions } from './tail-options.ts';

export interface FollowOptions extends Omit<
  TailOptions<unknown>,
  'buffer' | 'displaced' | 'open' | 'handles' | 'leads' | 'beside'
> {
  /** Globs, as absolute paths. */
  readonly patterns: readonly string[];
  /** Globs as absolute paths; globs without a slash match names. */
  readonly excludes?: readonly string[];
  /** The log root directory. */
  readonly root?: string;
  /** Whether a path is inside our own state directory, through any link. */
  readonly isOwn?: (place: string) => boolean;
  /** Our own state directory, which is never shipped. */
  readonly stateDir?: string;
  /** What happens with existing files on first start. Undefined on later starts. */
  readonly firstStart?: 'beginning' | 'end' | undefined;
  /**
   * Unknown rotated files that were last written before this time are not read. In milliseconds since the epoch; the
   * default is the start of this process.
   */
  readonly sinceMs?: number | undefined;
  /** A monotonic clock in milliseconds. */
  readonly uptime?: () => number;
  /** Its share of the open files; by default there is no limit. */
  readonly handles?: Handles | undefined;
  /** Reads directories; by default with the file system's calls. */
  readonly list?: List | undefined;
}
