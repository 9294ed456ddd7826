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
}

export const STARTING: WatchStatus = {
  state: 'starting',
  version: undefined,
  applied: 0,
  refused: 0,
  failed: 0,
  lastChangeMs: undefined,
  problem: undefined,
};

/** What a person compares: twelve digits of a fingerprint. */
export function versionOf(fingerprint: string): string {
  return fingerprint.slice(0, 12);
}
