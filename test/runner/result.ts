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

/** Result of a test file or a static check. */
export interface Result {
  readonly counts: Counts;
  readonly outcomes: readonly Outcome[];
  /** The failure as printed by the reporter. */
  readonly text: string;
  readonly seconds: number;
  /** User and system time; undefined if unknown, as for a killed file. */
  readonly cpuSeconds?: number;
  /** Stopped because the run's time was up: the result is meaningless. */
  readonly isCut: boolean;
}

export function hasFailed({ counts, isCut }: Result): boolean {
  return !isCut && counts.failed + counts.cancelled > 0;
}
