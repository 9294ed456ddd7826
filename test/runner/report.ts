import { SUITES } from '../suites.ts';
import { hasFailed, NO_COUNTS, type Counts, type Result } from './result.ts';
import { CHECK, type Item } from './plan.ts';

/** An item with its result and its end, in seconds since the run's start. */
export interface Ran {
  readonly item: Item;
  readonly result: Result;
  readonly endedAt: number;
}

/** Number of slowest files that are listed per suite. */
const SLOWEST = 3;
/** Maximum number of tests that are listed per skip reason. */
const NAMED = 3;

/** One line per finished item; for a failed one also the output of its tests. */
export function lineOf({ item, result }: Pick<Ran, 'item' | 'result'>): string {
  const { counts, seconds, cpuSeconds, isCut } = result;
  const mark = isCut ? '✂' : hasFailed(result) ? '✖' : counts.passed === 0 ? '﹣' : '✔';
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
  const cost = cpuSeconds === undefined ? '' : `, CPU ${cpuSeconds.toFixed(1)} s`;
  const line = `${mark} ${item.suite}: ${item.name} (${counts.passed} passed${skipped}; ${seconds.toFixed(1)} s${cost})`;
  return hasFailed(result) ? `${line}\n${result.text.trimEnd()}` : line;
}

/** A row per suite: counts, wall time and CPU time. */
export function timesOf(all: readonly Ran[]): string[] {
  const names = [...new Set(all.map(({ item }) => item.suite))];
  return names.flatMap((name) => {
    const ran = all.filter(({ item }) => item.suite === name);
    const sum = (of: (each: Ran) => number) => ran.reduce((total, each) => total + of(each), 0);
    const began = Math.min(...ran.map(({ endedAt, result }) => endedAt - result.seconds));
    const wall = Math.max(...ran.map(({ endedAt }) => endedAt)) - began;
    const tests = sum(({ result }) => result.counts.tests);
    const cpu = sum(({ result }) => result.cpuSeconds ?? 0);
    const slowest = ran.toSorted((a, b) => b.result.seconds - a.result.seconds).slice(0, SLOWEST);
    const slow = slowest.map(({ item, result }) => `${shortName(item.name)} ${Math.round(result.seconds)} s`);
    const figures = [`${wall.toFixed(0).padStart(5)} s`, `CPU ${cpu.toFixed(0).padStart(5)} s`, `${tests} tests`];
    return [`${name.padEnd(12)} ${figures.join('  ')}  (${slow.join(', ')})`];
  });
}

function shortName(name: string): string {
  return name.replace(/^test\/(?:[^/]+\/)?/, '').replace(/\.test\.ts$/, '');
}

/** One line per skip reason, with the first few tests and the number of further ones. */
export function skipsOf(all: readonly Ran[]): string[] {
  const byReason = new Map<string, string[]>();
  for (const { item, result } of all.filter((each) => !each.result.isCut)) {
    for (const { name, reason } of result.outcomes.filter((outcome) => outcome.result === 'skipped')) {
      const key = `${item.suite}: ${reason ?? 'without a reason'}`;
      byReason.set(key, [...(byReason.get(key) ?? []), name]);
    }
  }
  return [...byReason].flatMap(([reason, names]) => {
    const more = names.length > NAMED ? `; and ${names.length - NAMED} more` : '';
    return [`  ${reason}`, `    ${names.slice(0, NAMED).join('; ')}${more}`];
  });
}

/** The suites that were not run, with their commands. */
export function othersOf(suites: readonly string[]): string[] {
  return [CHECK, ...SUITES]
    .filter(({ name, tier }) => tier !== 'asked' && !suites.includes(name))
    .map(({ name, what }) => `  ${`make test SUITE=${name}`.padEnd(30)} ${what}`);
}

/** Maximum length of an error in the list of failures. */
const FAILURE_WIDTH = 500;

/**
 * A line per failure, for a reader who sees only the end of the output: the failed test by file and name with its error,
 * or for a file that failed outside its tests, the end of its output. The whole output stands with the file's own line.
 */
export function failuresOf(all: readonly Ran[]): string[] {
  return all
    .filter(({ result }) => hasFailed(result))
    .flatMap(({ item, result }) => {
      const failed = result.outcomes.filter((outcome) => outcome.result === 'failed');
      const inner = failed.filter(({ name }) => !failed.some((other) => other.name.startsWith(`${name} > `)));
      const isNamed = inner.some(({ name, reason = '' }) => name !== item.name || reason !== '');
      const rows = isNamed ? inner : [{ name: '', reason: result.text.slice(-FAILURE_WIDTH) }];
      return rows.map(({ name, reason = '' }) => {
        const of = name === '' ? item.name : `${item.name}: ${name}`;
        return `  ${of}: ${reason.replaceAll(/\s+/g, ' ').trim().slice(0, FAILURE_WIDTH)}`;
      });
    });
}

/** The summary lines of Node's own runner. Files that were interrupted do not count. */
export function summaryOf(all: readonly Ran[], seconds: number): string[] {
  const total = all
    .filter(({ result }) => !result.isCut)
    .reduce((sum, { result }) => plus(sum, result.counts), NO_COUNTS);
  const { tests, suites, passed, failed, cancelled, skipped, todo } = total;
  const rows = { tests, suites, pass: passed, fail: failed, cancelled, skipped, todo, duration_ms: seconds * 1000 };
  return Object.entries(rows).map(([name, value]) => `ℹ ${name} ${value}`);
}

function plus(a: Counts, b: Counts): Counts {
  return {
    tests: a.tests + b.tests,
    suites: a.suites + b.suites,
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    cancelled: a.cancelled + b.cancelled,
    skipped: a.skipped + b.skipped,
    todo: a.todo + b.todo,
  };
}
