import { backoffMs, type Backoff } from '../../core/backoff.ts';

const BACKOFF: Backoff = { minMs: 10_000, maxMs: 5 * 60_000 };

/** Failures that Helm has not recorded as a revision, such as a chart that does not render. Retried with backoff. */
export class Failures {
  readonly #failed = new Map<string, { digest: string; why: string; until: number; count: number }>();

  /** @param digest of what was wanted: a change is tried at once */
  add(name: string, digest: string, why: string): void {
    const before = this.#failed.get(name);
    const count = before?.digest === digest ? before.count + 1 : 0;
    this.#failed.set(name, { digest, why, count, until: performance.now() + backoffMs(count, BACKOFF) });
  }

  /** Why nothing is tried yet; undefined if the next attempt is due. */
  pending(name: string, digest: string): { readonly why: string; readonly againMs: number } | undefined {
    const failed = this.#failed.get(name);
    const leftMs = failed?.digest === digest ? failed.until - performance.now() : 0;
    return failed === undefined || leftMs <= 0 ? undefined : { why: failed.why, againMs: leftMs };
  }

  forget(name: string): void {
    this.#failed.delete(name);
  }
}
