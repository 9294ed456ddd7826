/**
 * Runs generated configurations with Kolla's set_configs.py and with ours, and compares each start.
 *
 *   seed and number -> generate: files, a configuration, two to four starts with changes in between (and --check)
 *   -> compare: exit code, class of the failure, tree with content, mode, owner and kept times, state, /run_command, log
 *   lines -> each difference is one of the documented deviations, by a rule of its own (deviations), or a finding
 *   -> a finding is reduced to a minimal case and reported as JSON
 *
 * Checked for ours alone: a failed start changes nothing, nor does a start after a check that returned 0.
 */
import { inMemory, privateDirectory } from '../../../../tools/directory.ts';
import { isSanitized } from '../../../cluster/core-binary.ts';
import type { Case } from '../play.ts';
import { startReference } from '../reference.ts';
import { compareCase, type Comparison } from './compare.ts';
import { DEVIATIONS } from './deviations.ts';
import { generateCase } from './generate.ts';
import { shrink } from './shrink.ts';

/**
 * Number of cases in `make test`; `make test-full` compares further ones of the same seed. Under a sanitizer, which is ten
 * times slower, the first ones reach the same code.
 */
export const SAMPLE = { seed: 1, cases: isSanitized ? 50 : 200 } as const;

/** The results of a number of cases. */
export interface Tally {
  readonly seed: number;
  readonly cases: number;
  readonly starts: number;
  /** Cases whose last start both tools have rejected. */
  readonly refused: number;
  /** Cases that were compared up to their last start. */
  readonly whole: number;
  /** The number of cases with each deviation, by its name. */
  readonly deviations: Readonly<Record<string, number>>;
  readonly failures: readonly Failure[];
}

export interface Failure {
  readonly number: number;
  readonly findings: readonly string[];
  readonly smallest: Case;
}

/** Stops after this many findings, because further ones are mostly the same. */
const FAILURES_MAX = 3;

/** Compares `count` cases, starting with number `first`, and prints its progress. */
export async function compareCases(
  seed: number,
  count: number,
  { first = 0, say = () => {} }: { readonly first?: number; readonly say?: (text: string) => void } = {},
): Promise<Tally> {
  await using reference = await startReference();
  await using directory = await privateDirectory('property', inMemory());
  const compare = (one: Case) => compareCase(one, reference, directory.path);
  const deviations = Object.fromEntries(DEVIATIONS.map(({ name }) => [name, 0]));
  const failures: Failure[] = [];
  const tally = { cases: 0, starts: 0, refused: 0, whole: 0 };
  while (tally.cases < count && failures.length < FAILURES_MAX) {
    const one = generateCase(seed, first + tally.cases);
    const verdict = await compare(one);
    for (const { name } of new Set(verdict.deviations)) deviations[name]! += 1;
    tally.starts += verdict.starts;
    if (verdict.refused) tally.refused += 1;
    if (verdict.starts === one.runs?.length) tally.whole += 1;
    if (verdict.findings.length > 0) failures.push(await failureOf(first + tally.cases, one, verdict, compare));
    tally.cases += 1;
    if (tally.cases % 1000 === 0) say(`${tally.cases} of ${count} cases`);
  }
  return { seed, ...tally, deviations, failures };
}

async function failureOf(
  number: number,
  one: Case,
  { findings }: Comparison,
  compare: (one: Case) => Promise<Comparison>,
): Promise<Failure> {
  const kind = kindOf(findings);
  const smallest = await shrink(one, async (smaller) => kindOf((await compare(smaller)).findings) === kind);
  return { number, findings, smallest };
}

/** The kind of finding, which a smaller case must have too: `code`, `tree of`. */
function kindOf(findings: readonly string[]): string | undefined {
  return findings[0]?.replace(/^start \d+: /, '').split(/[: ]/)[0];
}
