import type { Log } from '../../core/log.ts';
import type { ConfigOptions, InPlace } from '../index.ts';
import type { pathWatcher } from './path-watcher.ts';
import type { WatchStatus } from './status.ts';

export interface WatchOptions extends ConfigOptions {
  /** A change is looked at when nothing has happened for so long. */
  readonly settleMs: number;
  /** How often content is compared without an event. */
  readonly pollMs: number;
}

/** A version that is in place now and was not before. */
export interface Change {
  readonly version: string;
  /** Files that were written, or removed because nothing asks for them any more. */
  readonly files: number;
  /** What else is another one now, as `finish` names it. */
  readonly others: readonly string[];
}

export interface WatchParts {
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Files are about to be changed. May throw KollaError. */
  readonly prepare: () => Promise<void>;
  /** What belongs to a version besides its files; resolves with the names of what was another one. May throw KollaError. */
  readonly finish: (applied: InPlace) => Promise<readonly string[]>;
  /** A version was put in place and changed something. Must not wait. */
  readonly onApplied: (change: Change) => void;
  /** Told at each step of the status. */
  readonly onStatus: (status: WatchStatus) => void;
  /** What tells of changes; a test puts a deaf one here. */
  readonly watcher?: typeof pathWatcher;
}
