/** Healthy, or the reason why not. */
export type CheckResult =
  | { readonly healthy: true; readonly detail?: string }
  | {
      readonly healthy: false;
      readonly reason: string;
      /**
       * Set if the object may still be healthy: its state is not visible from here, but from the service's own
       * container.
       */
      readonly isUnseen?: true;
    };

export const healthy: CheckResult = { healthy: true };

/** A healthy verdict with the observation, for `--verbose` and the status page. */
export function healthyAs(detail: string): CheckResult {
  return { healthy: true, detail };
}

export function unhealthy(reason: string): CheckResult {
  return { healthy: false, reason };
}

/**
 * The state cannot be determined from here, which counts as unhealthy. The resident server returns 501, so that the
 * client runs the check itself.
 * @param reason why it is not visible, and which setting to change
 */
export function unseen(reason: string): CheckResult {
  return { healthy: false, reason, isUnseen: true };
}

/** A check that can run any number of times, one after the other. */
export interface Question {
  /** The check as the user wrote it, without secrets: `tcp mariadb:3306`. It is the prefix of the check's messages. */
  readonly subject: string;
  /** The hosts that the check contacts. If one of them is not this Pod, the check is remote. */
  readonly hosts: readonly string[];
  /** The verdict if there is no response before the deadline; by default unhealthy. */
  readonly whenLate?: CheckResult;
  /**
   * Runs the check. An unhealthy result is returned with its reason, never thrown. Credential files are read on each
   * run.
   * @param signal the deadline, or the end of the process
   * @param tell called with the current step, which the reason names on timeout
   */
  ask(signal: AbortSignal, tell?: (awaited: string) => void): Promise<CheckResult>;
}
