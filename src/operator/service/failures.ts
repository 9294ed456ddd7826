import { backoffMs, type Backoff } from '../../core/backoff.ts';

const BACKOFF: Backoff = { minMs: 10_000, maxMs: 5 * 60_000 };

export interface Failure {
  /** Of the condition. `HelmKilled`: for exceeding our limits. */
  readonly reason: 'HelmFailed' | 'HelmKilled';
  readonly why: string;
}

/** Failures that Helm has not recorded as a revision, such as a chart that does not render. Retried with backoff. */
export class Failures {
  readonly #failed = new Map<string, Failure & { digest: string; until: number; count: number }>();

  /** @param digest of what was wanted: a change is tried at once */
  add(name: string, digest: string, { reason, why }: Failure): void {
    const before = this.#failed.get(name);
    const count = before?.digest === digest ? before.count + 1 : 0;
    this.#failed.set(name, { digest, reason, why, count, until: performance.now() + backoffMs(count, BACKOFF) });
  }

  /** Why nothing is tried yet; undefined if the next attempt is due. */
  pending(name: string, digest: string): (Failure & { readonly requeueAfterMs: number }) | undefined {
    const failed = this.#failed.get(name);
    const leftMs = failed?.digest === digest ? failed.until - performance.now() : 0;
    if (failed === undefined || leftMs <= 0) return undefined;
    return { reason: failed.reason, why: failed.why, requeueAfterMs: leftMs };
  }

  forget(name: string): void {
    this.#failed.delete(name);
  }
}
