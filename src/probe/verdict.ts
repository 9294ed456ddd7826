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
 * Nobody can tell from here, which counts as unhealthy. The resident server answers it with 501, so that who asked looks
 * for itself.
 * @param reason why it can't be seen, and what would have to be set
 */
export function unseen(reason: string): Verdict {
  return { healthy: false, reason, isUnseen: true };
}
