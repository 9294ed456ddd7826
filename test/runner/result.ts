import type { Outcome } from './outcomes.ts';

/** The counts that Node prints in its summary. */
export interface Counts {
  readonly tests: number;
  readonly suites: number;
  readonly passed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly skipped: number;
  readonly todo: number;
}

export const NO_COUNTS: Counts = { tests: 0, suites: 0, passed: 0, failed: 0, cancelled: 0, skipped: 0, todo: 0 };

/** The result of a test file or of a static check. */
export interface Result {
  readonly counts: Counts;
  readonly outcomes: readonly Outcome[];
  /** The failure as the reporter prints it. */
  readonly text: string;
  readonly seconds: number;
  /** User and system time; undefined if unknown, for example after a kill. */
  readonly cpuSeconds?: number;
  /** Set if it was stopped because the run's time was up; the result then means nothing. */
  readonly isCut: boolean;
}

export function hasFailed({ counts, isCut }: Result): boolean {
  return !isCut && counts.failed + counts.cancelled > 0;
}
