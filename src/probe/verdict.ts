/** Healthy, or the reason why not. */
export type Verdict =
  | { readonly healthy: true; readonly detail?: string }
  | { readonly healthy: false; readonly reason: string };

export const healthy: Verdict = { healthy: true };

/** Healthy, with what was seen, for `--verbose` and the status page. */
export function healthyAs(detail: string): Verdict {
  return { healthy: true, detail };
}

export function unhealthy(reason: string): Verdict {
  return { healthy: false, reason };
}
