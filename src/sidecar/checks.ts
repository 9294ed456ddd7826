import type { Change, Checks, CheckStatus, PreparedCheck } from '../probe/serve/index.ts';

/**
 * The checks as the server sees them, which outlives a try of the role that asks them. Before the first try nothing is known of
 * them. Between two they are as they were last seen, until that is too long ago; a new try knows nothing at first.
 */
export class RestartableChecks implements Checks {
  readonly #listeners = new Set<(change: Change) => void>();
  #snapshot: () => readonly CheckStatus[];

  constructor(checks: readonly PreparedCheck[] = []) {
    const first = checks.map((check) => neverAsked(check));
    this.#snapshot = () => first;
  }

  /** Shows these from now on. */
  show(checks: Checks): Disposable {
    this.#snapshot = () => checks.snapshot();
    const heard = checks.onChange((change) => {
      for (const listener of this.#listeners) listener(change);
    });
    return heard;
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

/** Which no readiness probe takes for well. */
function neverAsked({ name, roles, question, period }: PreparedCheck): CheckStatus {
  return {
    name,
    roles,
    state: 'unknown',
    since: Date.now(),
    subject: question.subject,
    periodMs: period,
    asked: 0,
    failed: 0,
    changes: 0,
    lastMs: undefined,
    totalMs: 0,
    answeredAt: undefined,
  };
}
