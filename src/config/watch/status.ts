import type { FileInPlace } from './in-place.ts';

/** How a watch stands, for a status page. Counts are since its start. */
export interface WatchStatus {
  /**
   * `in-step`: what is in place is what is asked for. `refused`: a newer version doesn't validate. `failed`: it could not be
   * put in place, and is tried again. `absent`: there is no configuration. `starting`: before the first look.
   */
  readonly state: 'starting' | 'in-step' | 'refused' | 'failed' | 'absent';
  /** The version in place: the beginning of its digest. */
  readonly version: string | undefined;
  /** Versions that changed something when they were put in place. */
  readonly applied: number;
  readonly refused: number;
  /** Tries to put a version in place that the system ended. */
  readonly failed: number;
  /** When something was last changed, in ms since 1970. */
  readonly lastChangeMs: number | undefined;
  /** What keeps it from being in step. */
  readonly problem: string | undefined;
  /** The version that was looked at last: the one in place, or the one that was refused. */
  readonly looked: string | undefined;
  /** What the kubelet calls it, where it lies in a ConfigMap: the target of `..data`. */
  readonly configMap: string | undefined;
  /** The files of the version in place. */
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
  files: [],
};

/** What a person compares: twelve digits of a fingerprint. */
export function versionOf(fingerprint: string): string {
  return fingerprint.slice(0, 12);
}
