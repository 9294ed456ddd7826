import type { Place } from './service.ts';

/** A whole number in the service's configuration, and what it is where it is not set. */
export interface Figure {
  readonly place?: Place;
  readonly usual: number;
}

/**
 * A folder of Fernet keys that the replicas of a service share: files named by numbers. The highest is the primary, which
 * encrypts; all decrypt; 0 is staged, the primary of tomorrow.
 */
export interface KeyRepository {
  /** As the user calls it: `fernet`. */
  readonly name: string;
  /** The Secret that holds it, in the service's namespace; its entries are the files. */
  readonly secret: string;
  /** Where the service reads it, and the option that says so. */
  readonly folder: string;
  readonly folderAt: Place;
  /** How many keys a rotation leaves. */
  readonly keep: Figure;
  /** Seconds that what was encrypted with a key may still be shown: their sum. None: for ever. */
  readonly lifetime?: readonly Figure[];
  /** Encrypts with the primary what other keys have; `{config}` is the service's file, `{overlay}` ours with the folder. */
  readonly reencrypt?: readonly [string, ...string[]];
}
