import type { Outcome } from './outcomes.ts';

/** Node's own counts, as its summary prints them. */
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

/** What came of a test file, or of one of the static checks. */
export interface Result {
  readonly counts: Counts;
  readonly outcomes: readonly Outcome[];
  /** What to print of a failure: the reporter's text. */
  readonly text: string;
  readonly seconds: number;
  /** User and system time; undefined where it is not known, as of a file that was killed. */
  readonly cpuSeconds?: number;
  /** It was stopped before its end, because the run's time was over: it says nothing. */
  readonly isCut: boolean;
}

export function hasFailed({ counts, isCut }: Result): boolean {
  return !isCut && counts.failed + counts.cancelled > 0;
}
