import { parseDuration } from '../../core/duration.ts';
import { ConfigError, messageOf } from '../../core/errors.ts';
import type { PodFile } from '../../cli/file.ts';
import type { Log } from '../../core/log.ts';
import { didYouMean, suggestion } from '../../core/nearest.ts';
import { isMapping } from '../../core/mapping.ts';
import { ROLES, type Role } from './part.ts';

/** One check in kolla-pod.yaml. Times are in milliseconds. */
export interface CheckConfig {
  readonly name: string;
  /** The arguments that follow `kolla-probe` on the command line. */
  readonly run: readonly string[];
  readonly roles: readonly Role[];
  readonly period: number;
  readonly timeout: number;
  /** Number of consecutive failures after which the check is unhealthy. */
  readonly failures: number;
  readonly allowRemote: boolean;
}

export const CHECK_DEFAULTS = { for: ['readiness'], period: '10s', timeout: '900ms', failures: 1 } as const;
export const CHECK_NAME = '^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$';
const KEYS = ['run', 'for', 'period', 'timeout', 'failures', 'allow-remote'];
const SHORTEST_PERIOD_MS = 100;
export const MOST_FAILURES = 100;

/**
 * The checks of kolla-pod.yaml's `checks:`, in order; none if that section is missing.
 * @param file name of kolla-pod.yaml, for messages
 * @param section the unvalidated value of `checks:`
 * @throws ConfigError with every problem and its place: `checks.api.perid: no such key; did you mean 'period'?`
 */
export function readChecks(file: string, section: unknown): CheckConfig[] {
  if (section === undefined || section === null) return [];
  const problems: string[] = [];
  const tell = (place: string, what: string) => void problems.push(`${place}: ${what}`);
  if (!isMapping(section)) throw new ConfigError(`${file}: checks: is not a mapping of names to checks`);
  const checks = Object.entries(section).map(([name, value]) => checkOf(name, value, tell));
  if (problems.length > 0) throw new ConfigError(`${file}: ${problems.join('; ')}`);
  return checks.filter((check) => check !== undefined);
}

/**
 * The checks of a kolla-pod.yaml, at least one: without any, every probe of the Pod would return 200.
 * @param mayBeNone whether the user has allowed a file without checks
 * @throws ConfigError as readChecks(), and if there is none
 */
export function checksOf(podFile: PodFile | undefined, mayBeNone: boolean, log: Log): CheckConfig[] {
  const checks = podFile === undefined ? [] : readChecks(podFile.file, podFile.sectionOf('checks'));
  if (checks.length > 0) return checks;
  const none = podFile === undefined ? 'no kolla-pod.yaml, and so no checks' : `${podFile.file}: no checks`;
  if (!mayBeNone)
    throw new ConfigError(`${none}: every probe would succeed; add some under checks:, or set --allow-no-checks`);
  log.warn(`${none}: every probe returns 200`);
  return checks;
}

type Tell = (place: string, what: string) => void;

function checkOf(name: string, value: unknown, tell: Tell): CheckConfig | undefined {
  const place = `checks.${name}`;
  if (!new RegExp(CHECK_NAME).test(name)) tell(place, 'is not a name of at most 63 letters, digits, -, _ and .');
  // A check with the same name would be mistaken for the probe.
  if ((ROLES as readonly string[]).includes(name)) tell(place, 'is the name of a probe; use another');
  if (!isMapping(value)) {
    tell(place, 'is not a mapping with run, for, period');
    return undefined;
  }
  for (const key of Object.keys(value))
    if (!KEYS.includes(key)) tell(`${place}.${key}`, `no such key${suggestion(key, KEYS)}`);
  const at = <T>(key: string, read: (given: unknown) => T, fallback: T): T => {
    try {
      return value[key] === undefined ? fallback : read(value[key]);
    } catch (error) {
      tell(`${place}.${key}`, messageOf(error));
      return fallback;
    }
  };
  if (value['run'] === undefined) tell(place, 'run is missing, such as run: "tcp 127.0.0.1:9292"');
  const period = at('period', durationOf(SHORTEST_PERIOD_MS), parseDuration(CHECK_DEFAULTS.period));
  const timeout = at('timeout', durationOf(1), Math.min(parseDuration(CHECK_DEFAULTS.timeout), period));
  if (timeout > period) tell(`${place}.timeout`, 'is longer than the period; shorten it, or lengthen the period');
  return {
    name,
    run: at('run', wordsOf, []),
    roles: at<readonly Role[]>('for', rolesOf, CHECK_DEFAULTS.for),
    period,
    timeout,
    failures: at('failures', failuresOf, CHECK_DEFAULTS.failures),
    allowRemote: at('allow-remote', booleanOf, false),
  };
}

function wordsOf(given: unknown): string[] {
  const list: readonly unknown[] | undefined = Array.isArray(given) ? given : undefined;
  if (list === undefined && typeof given !== 'string') throw new RangeError('is neither a line nor a list of words');
  const words = typeof given === 'string' ? shellWords(given) : list!.map((word) => wordOf(word));
  if (words.length === 0) throw new RangeError('is empty');
  return words;
}

function wordOf(given: unknown): string {
  if (typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean') return String(given);
  throw new RangeError('contains something that is not a word');
}

function rolesOf(given: unknown): Role[] {
  const words: readonly unknown[] = Array.isArray(given) ? given : [given];
  const roles = words.map((word) => {
    const role = ROLES.find((known) => known === word);
    if (role !== undefined) return role;
    throw new RangeError(`'${String(word)}' is not one of ${ROLES.join(', ')}${didYouMean(String(word), ROLES)}`);
  });
  return [...new Set(roles)];
}

function durationOf(least: number): (given: unknown) => number {
  return (given) => {
    const ms = parseDuration(wordOf(given));
    if (ms < least) throw new RangeError(`is less than ${least}ms`);
    return ms;
  };
}

function failuresOf(given: unknown): number {
  if (Number.isInteger(given) && Number(given) >= 1 && Number(given) <= MOST_FAILURES) return Number(given);
  throw new RangeError(`is not a number from 1 to ${MOST_FAILURES}`);
}

function booleanOf(given: unknown): boolean {
  if (typeof given === 'boolean') return given;
  throw new RangeError('is neither true nor false');
}

/**
 * Splits a line into arguments as a shell does: separated by spaces, with quotes and backslashes. Nothing is expanded:
 * no shell runs, and `$` and `*` are literal.
 * @throws RangeError for an unterminated quote
 */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  const parts = /\s+|'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])|([^\s'"\\]+)|(['"\\])/g;
  for (const [, single, double, escaped, plain, stray] of line.matchAll(parts)) {
    if (stray !== undefined)
      throw new RangeError(stray === '\\' ? 'ends with a backslash' : `has a ${stray} without an end`);
    // In double quotes a backslash is literal, except before a character that would end the quotes or be expanded.
    const text = single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped ?? plain;
    if (text !== undefined) word = (word ?? '') + text;
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}
