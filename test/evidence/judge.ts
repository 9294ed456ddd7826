import type { Outcome } from '../runner/outcomes.ts';
import { namesOf, type Capability, type Row, type TestName } from './row.ts';

/** `missing` means that the file has no test of that name, so the row is wrong. */
export type Verdict = 'holds' | 'fails' | 'not run' | 'missing';

export interface JudgedRow {
  readonly row: Row;
  readonly verdict: Verdict;
  /** Number of its tests that passed. */
  readonly passed: number;
  /** Why it does not hold; undefined if it does. */
  readonly why: string;
}

export interface Page {
  readonly name: string;
  readonly title: string;
  /** The commit at which the tests ran. */
  readonly commit: string;
  readonly rows: readonly JudgedRow[];
}

/** Judges every row by the outcomes of a complete run. */
export function evidenceOf(results: readonly Outcome[], commit: string, capabilities: readonly Capability[]): Page[] {
  const byFile = Map.groupBy(results, ({ file }) => file);
  return capabilities.map(({ name, title, rows }) => ({
    name,
    title,
    commit,
    rows: rows.map((row) => judge(row, byFile.get(row.file) ?? [])),
  }));
}

/** A line for each row that must fail the run. */
export function shortfalls(pages: readonly Page[]): string[] {
  return pages.flatMap(({ name, rows }) =>
    rows
      .filter(({ verdict }) => verdict === 'fails' || verdict === 'missing')
      .map(({ row, why }) => `${name}: '${row.point}' (${row.file}): ${why}`),
  );
}

/** @param outcomes the outcomes of the row's file */
function judge(row: Row, outcomes: readonly Outcome[]): JudgedRow {
  // A skipped describe() and a file that fails to load report none of their tests.
  const hiding = outcomes.filter(({ name, isSuite }) => isSuite || name.endsWith(row.file));
  const tests = new Set<Outcome>();
  const skips = new Set<string>();
  for (const name of namesOf(row)) {
    const named = outcomes.filter((outcome) => isNamed(outcome.name, name));
    const found = named.length > 0 ? named : hiding;
    const failed = found.find(({ result }) => result === 'failed');
    if (failed !== undefined) return { row, verdict: 'fails', passed: 0, why: `'${failed.name}' failed` };
    if (found.length === 0) return { row, verdict: 'missing', passed: 0, why: `no test ${shown(name)} was run` };
    for (const outcome of found) if (outcome.result === 'passed') tests.add(outcome);
    if (found.every(({ result }) => result === 'skipped')) for (const reason of reasonsOf(found)) skips.add(reason);
  }
  const passed = tests.size;
  const { least = 1 } = row;
  // Of the tests generated from a table, some may be skipped individually.
  if (passed < least) for (const reason of reasonsOf([...outcomes.filter(isOf(row)), ...hiding])) skips.add(reason);
  if (skips.size > 0) return { row, verdict: 'not run', passed, why: [...skips].join('; ') };
  if (passed < least) return { row, verdict: 'fails', passed, why: `${passed} passed of at least ${least}` };
  return { row, verdict: 'holds', passed, why: '' };
}

function reasonsOf(outcomes: readonly Outcome[]): string[] {
  return outcomes.filter(({ result }) => result === 'skipped').map(({ reason = '' }) => reason);
}

function isOf(row: Row): (outcome: Outcome) => boolean {
  return ({ name }) => namesOf(row).some((one) => isNamed(name, one));
}

/** A name is that of a test, of a describe() around it, or several of these joined. */
function isNamed(fullName: string, name: TestName): boolean {
  return typeof name === 'string' ? ` > ${fullName} > `.includes(` > ${name} > `) : name.test(fullName);
}

function shown(name: TestName): string {
  return typeof name === 'string' ? `'${name}'` : String(name);
}
