import type { Log } from '../../core/log.ts';
import type { ConfigOptions, InPlace } from '../index.ts';
import type { pathWatcher } from './path-watcher.ts';
import type { WatchStatus } from './status.ts';

export interface WatchOptions extends ConfigOptions {
  /** Debounce interval. */
  readonly settleMs: number;
  /** Interval at which content is compared without events. */
  readonly pollMs: number;
  /** Whether files that differ are installed at the start even if the version is not new. */
  readonly repairs?: boolean;
}

/** A newly installed version. */
export interface Change {
  readonly version: string;
  /** Files that were written, or removed because no entry installs them any more. */
  readonly files: number;
  /** Names of other parts that changed, as returned by `finish`. */
  readonly others: readonly string[];
}

export interface WatchParts {
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Digest of what an earlier watch has installed, from its status. */
  readonly installedBefore?: string | undefined;
  /** Called before files change. May throw KollaError. */
  readonly prepare: () => void;
  /** Updates the other parts of a version; returns the names of the changed ones. May throw KollaError. */
  readonly finish: (applied: InPlace) => readonly string[];
  /** Called after a version was installed that changed something. Must not block. */
  readonly onApplied: (change: Change) => void;
  /** Called whenever the status changes. */
  readonly onStatus: (status: WatchStatus) => void;
  /** Reports changes; a test replaces it with one without events. */
  readonly watcher?: typeof pathWatcher;
}
