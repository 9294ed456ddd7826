import { messageOf } from '../../core/errors.ts';
import { parseDuration } from '../../core/duration.ts';
import { suggestion } from '../../core/nearest.ts';
import type { Condition, JsonPath, ObjectDependency } from '../dependency/dependency.ts';
import { JsonPathSyntaxError, parseJsonPath } from '../jsonpath/parse.ts';
import { checkLabel, checkName, wrong, type Part, type Source } from './source.ts';

/** The options that follow the name of a dependency. */
type Options = Pick<
  ObjectDependency,
  'timeoutMs' | 'labels' | 'conditions' | 'jsonpaths' | 'release' | 'isOnOwnNode' | 'record'
>;

/** Options that may be repeated. */
const REPEATED = new Set(['label', 'condition', 'jsonpath']);

/**
 * Parses `key=value&key=value`. `%XX` in a value stands for that byte, which encodes `&` and, in the environment,
 * commas.
 * @param text undefined if there are no options
 * @param valid the keys that this kind supports
 */
export function parseOptions(source: Source, text: Part | undefined, valid: readonly string[]): Options {
  const given = new Map<string, Part[]>();
  for (const { key, value } of text === undefined ? [] : pairsOf(source, text)) {
    const { value: word, column } = key;
    if (!valid.includes(word)) {
      const instead = valid.length === 0 ? '' : suggestion(word, valid);
      throw wrong(source, column, `'${word}' is not an option of this wait${instead}`);
    }
    const before = given.get(word) ?? [];
    if (before.length > 0 && !REPEATED.has(word)) throw wrong(source, column, `'${word}' is given twice`);
    given.set(word, [...before, value]);
  }
  const all = (word: string) => given.get(word) ?? [];
  const [timeout, release, node, record] = ['timeout', 'release', 'node', 'db-sync'].map((word) => all(word)[0]);
  for (const label of all('label')) checkLabel(source, label);
  if (release?.value === '') throw wrong(source, release.column, 'the release is missing');
  if (node !== undefined && node.value !== 'own')
    throw wrong(source, node.column, "the only valid node is 'own': this Pod's");
  if (record !== undefined) checkName(source, 'a migration', record, 'subdomain');
  return {
    timeoutMs: timeout && durationOf(source, timeout),
    labels: all('label').map(({ value }) => value),
    conditions: all('condition').map((part) => conditionOf(source, part)),
    jsonpaths: all('jsonpath').map((part) => jsonpathOf(source, part)),
    release: release?.value,
    isOnOwnNode: node !== undefined,
    record: record?.value,
  };
}

function* pairsOf(source: Source, { value: text, column }: Part): Generator<{ key: Part; value: Part }> {
  let start = 0;
  for (const pair of text.split('&')) {
    const at = column + start;
    start += pair.length + 1;
    const equals = pair.indexOf('=');
    if (pair === '') throw wrong(source, at, 'an option is missing');
    if (equals === -1) throw wrong(source, at, `'${pair}' has no value: write ${pair}=VALUE`);
    const value = { value: pair.slice(equals + 1), column: at + equals + 1 };
    yield { key: { value: pair.slice(0, equals), column: at }, value: { ...value, value: decoded(source, value) } };
  }
}

function decoded(source: Source, { value, column }: Part): string {
  try {
    return decodeURIComponent(value);
  } catch (cause) {
    throw wrong(source, column + value.indexOf('%'), "a '%' is written %25", cause);
  }
}

function durationOf(source: Source, { value, column }: Part): number {
  let ms: number;
  try {
    ms = parseDuration(value);
  } catch (cause) {
    throw wrong(source, column, messageOf(cause), cause);
  }
  if (ms <= 0) throw wrong(source, column, 'a timeout must be more than 0');
  return ms;
}

function conditionOf(source: Source, { value, column }: Part): Condition {
  const [, type = '', status = 'True'] = /^([\w./-]+)(?:=(\w+))?$/.exec(value) ?? [];
  if (type === '') throw wrong(source, column, `'${value}' is not a condition; write Ready or Ready=False`);
  return { type, status };
}

/** One expression in braces; quoted strings may contain braces. */
const JSONPATH = /^(?<path>\{[$.[](?:[^{}'"]|'[^']*'|"[^"]*")*\})(?:=(?<value>[^]*))?$/;

function jsonpathOf(source: Source, { value: text, column }: Part): JsonPath {
  const { path, value } = JSONPATH.exec(text)?.groups ?? {};
  if (path === undefined)
    throw wrong(
      source,
      column,
      `'${text}' is not a JSONPath; write {.status.phase}=Running, or {.status.phase} for any value`,
    );
  try {
    parseJsonPath(path);
  } catch (cause) {
    if (!(cause instanceof JsonPathSyntaxError)) throw cause;
    throw wrong(source, column + cause.offset, `${path} is not a JSONPath: ${cause.message}`, cause);
  }
  return { path, value };
}
