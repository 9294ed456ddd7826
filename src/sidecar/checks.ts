import type { Change, Checks, CheckStatus } from '../probe/serve/index.ts';

/**
 * The checks as the server sees them, which outlives a try of the role that asks them. Between two tries they are as they
 * were last seen; a new try knows nothing at first.
 */
export class RestartableChecks implements Checks {
  readonly #listeners = new Set<(change: Change) => void>();
  #snapshot: () => readonly CheckStatus[] = () => [];

  /** Shows these from now on. */
  show(checks: Checks): Disposable {
    this.#snapshot = () => checks.snapshot();
    const heard = checks.onChange((change) => {
      for (const listener of this.#listeners) listener(change);
    });
    return {
      [Symbol.dispose]: () => {
        heard[Symbol.dispose]();
        const last = checks.snapshot();
        this.#snapshot = () => last;
      },
    };
  }

  snapshot(): readonly CheckStatus[] {
    return this.#snapshot();
  }

  onChange(listener: (change: Change) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Who shows them ends them. */
  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}
