import type { FileInPlace } from './in-place.ts';

/** State of a watch for a status page. Counts start with the watch. */
export interface WatchStatus {
  /**
   * `in-step`: the installed version is current. `refused`: a newer version is invalid. `failed`: a newer version could
   * not be installed, and is retried. `absent`: there is no configuration. `starting`: before the first check.
   */
  readonly state: 'starting' | 'in-step' | 'refused' | 'failed' | 'absent';
  /** The installed version, as the start of its digest. */
  readonly version: string | undefined;
  /** Number of versions whose installation changed something. */
  readonly applied: number;
  readonly refused: number;
  /** Number of installations that failed with a system error. */
  readonly failed: number;
  /** Time of the last change, in ms since the epoch. */
  readonly lastChangeMs: number | undefined;
  /** Why the installed version is not the newest one. */
  readonly problem: string | undefined;
  /** The last version examined, whether installed or rejected. */
  readonly looked: string | undefined;
  /** The kubelet's version of the ConfigMap: the target of `..data`. */
  readonly configMap: string | undefined;
  /** Digest of what is installed, for the next watch; undefined if it is not complete. */
  readonly installed: string | undefined;
  /** The files of the installed version. */
  readonly files: readonly FileInPlace[];
}

export const STARTING: WatchStatus = {
  state: 'starting',
  version: undefined,
  applied: 0,
  refused: 0,
  failed: 0,
  lastChangeMs: undefined,
  problem: undefined,
  looked: undefined,
  configMap: undefined,
  installed: undefined,
  files: [],
};

/** A short version for users: the first twelve digits of a fingerprint. */
export function versionOf(fingerprint: string): string {
  return fingerprint.slice(0, 12);
}
