import type { Checks, CheckStatus, PreparedCheck } from '../../probe/serve/index.ts';

/**
 * The checks as seen by the server, which outlives the attempts of the component that runs them. They are unknown
 * before the first attempt and at the start of each new one. Between two attempts the last results are kept until they
 * are stale.
 */
export class RestartableChecks {
  #snapshot: () => readonly CheckStatus[];

  constructor(checks: readonly PreparedCheck[]) {
    const first = checks.map((check) => neverAsked(check));
    this.#snapshot = () => first;
  }

  /** From now on, serves these checks. */
  show(checks: Checks): void {
    this.#snapshot = () => checks.snapshot();
  }

  snapshot(): readonly CheckStatus[] {
    return this.#snapshot();
  }
}

/** The status of a check that has not run yet, which fails readiness. */
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
