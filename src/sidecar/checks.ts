import type { Checks, CheckStatus, PreparedCheck } from '../probe/serve/index.ts';

/**
 * The checks as the server sees them, which outlives a try of the role that asks them. Before the first try nothing is known of
 * them. Between two they are as they were last seen, until that is too long ago; a new try knows nothing at first.
 */
export class RestartableChecks {
  #snapshot: () => readonly CheckStatus[];

  constructor(checks: readonly PreparedCheck[]) {
    const first = checks.map((check) => neverAsked(check));
    this.#snapshot = () => first;
  }

  /** Shows these from now on. */
  show(checks: Checks): void {
    this.#snapshot = () => checks.snapshot();
  }

  snapshot(): readonly CheckStatus[] {
    return this.#snapshot();
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
