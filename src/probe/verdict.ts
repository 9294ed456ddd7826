/** Healthy, or the reason why not. */
export type Verdict =
  | { readonly healthy: true; readonly detail?: string }
  | {
      readonly healthy: false;
      readonly reason: string;
      /** Set where it may be healthy all the same: from here it can't be seen, from the service's own container it can. */
      readonly isUnseen?: true;
    };

export const healthy: Verdict = { healthy: true };

/** Healthy, with what was seen, for `--verbose` and the status page. */
export function healthyAs(detail: string): Verdict {
  return { healthy: true, detail };
}

export function unhealthy(reason: string): Verdict {
  return { healthy: false, reason };
}

/**
 * It cannot be determined from here, which counts as unhealthy. The resident server answers it with 501, so that who asked looks
 * for itself.
 * @param reason why it can't be seen, and what would have to be set
 */
export function unseen(reason: string): Verdict {
  return { healthy: false, reason, isUnseen: true };
}

/** A question that can be asked any number of times, one at a time. */
export interface Question {
  /** What is asked, as the user wrote it, without a secret: `tcp mariadb:3306`. Begins every message about it. */
  readonly subject: string;
  /** Whom it asks over the network. Where one is not this pod itself, the check is remote. */
  readonly hosts: readonly string[];
  /**
   * Healthy or the reason why not; never throws for "unhealthy". Files that hold credentials are read anew each time.
   * @param signal the deadline, or the end of the process
   * @param tell told what is waited for, which the reason names when the deadline comes
   */
  ask(signal: AbortSignal, tell?: (awaited: string) => void): Promise<Verdict>;
}
