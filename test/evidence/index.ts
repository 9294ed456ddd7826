/**
 * Documented capabilities, checked by the tests of a complete run:
 *
 *   outcomes of the run (runner/outcomes.ts) -> judged with the rows (capabilities/) by judge.ts
 *     -> rows that do not hold, which fail the run -> docs/evidence/<capability>.md (page.ts)
 *
 * A row names a point, a test file and a test in it. rows.test.ts checks the names in every run.
 */
import { CAPABILITIES } from './capabilities/index.ts';
import { commitNow } from './commit.ts';
import { evidenceOf, shortfalls } from './judge.ts';
import type { Outcome } from '../runner/outcomes.ts';
import { writePages } from './page.ts';

/**
 * Judges every row by the outcomes of a run of all suites.
 * @param writes whether to write the pages in docs/evidence/
 * @returns a line for each row that fails the run
 */
export async function judgeRun(results: readonly Outcome[], { writes }: { writes: boolean }): Promise<string[]> {
  const pages = evidenceOf(results, await commitNow(), CAPABILITIES);
  if (writes) await writePages(pages);
  return shortfalls(pages);
}
