/** Healthy, or the reason why not. */
export type Verdict =
  | { readonly healthy: true; readonly detail?: string }
  | {
      readonly healthy: false;
      readonly reason: string;
      /** Set if it may still be healthy: the state is not visible from here, but from the service's own container. */
      readonly isUnseen?: true;
    };

export const healthy: Verdict = { healthy: true };

/** Healthy, with the observation, for `--verbose` and the status page. */
export function healthyAs(detail: string): Verdict {
  return { healthy: true, detail };
}

export function unhealthy(reason: string): Verdict {
  return { healthy: false, reason };
}

/**
 * It cannot be determined from here, which counts as unhealthy. The resident server returns 501, so that the client
 * checks by itself.
 * @param reason why it is not visible, and the setting to change
 */
export function unseen(reason: string): Verdict {
  return { healthy: false, reason, isUnseen: true };
}

/** A check that can be run any number of times, one at a time. */
export interface Question {
  /** As written by the user, without a secret: `tcp mariadb:3306`. Prefix of its messages. */
  readonly subject: string;
  /** The hosts it contacts. If one is not this Pod itself, the check is remote. */
  readonly hosts: readonly string[];
  /** The verdict if there is no answer before the deadline; unhealthy unless set. */
  readonly whenLate?: Verdict;
  /**
   * Healthy or the reason why not; never throws for "unhealthy". Credential files are read on each run.
   * @param signal the deadline, or the end of the process
   * @param tell called with the current step, which the reason names on timeout
   */
  ask(signal: AbortSignal, tell?: (awaited: string) => void): Promise<Verdict>;
}
