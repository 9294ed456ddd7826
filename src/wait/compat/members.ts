import { suggestion } from '../../core/nearest.ts';
import { wrong, checkLabel, checkName, type Part, type Source } from '../grammar/source.ts';
import { parseJson, type Json } from './json.ts';
import { leftOut, skipIfLenient, type Leniency } from './leave-out.ts';
import type { ObjectDependency } from '../dependency/dependency.ts';

/** Where a value comes from. */
export interface Reading {
  readonly source: Source;
  readonly way: Leniency;
}

type Members = ReadonlyMap<string, Json>;

const WHAT = {
  object: 'an object',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  boolean: 'a truth value',
  null: 'null',
};

/** The items of a list; null has none. */
export function itemsIn({ source }: Reading, json: Json | undefined): readonly Json[] {
  if (json === undefined || json.is === 'null') return [];
  if (json.is === 'array') return json.items;
  throw leftOut(source, json.column, `this is ${WHAT[json.is]}, and not a list`);
}

/**
 * The members of an object by their known names, which are case-insensitive as in Go's decoder; null has none.
 * An unknown member is an error (in lenient mode a warning), since kubernetes-entrypoint would silently ignore it.
 */
export function membersIn({ source, way }: Reading, json: Json, known: readonly string[]): Members {
  const members = new Map<string, Json>();
  if (json.is === 'null') return members;
  if (json.is !== 'object') throw leftOut(source, json.column, `this is ${WHAT[json.is]}, and not an object`);
  for (const { key, column, value } of json.members) {
    const name = known.find((each) => each.toLowerCase() === key.toLowerCase());
    if (name !== undefined) members.set(name, value);
    else
      skipIfLenient(way, () => {
        throw leftOut(source, column, `no '${key}' here${suggestion(key, known)}`);
      });
  }
  return members;
}

/** The text of a member; undefined if it is missing, empty or null, which are equivalent in Go. */
export function textIn({ source }: Reading, members: Members, name: string): Part | undefined {
  const json = members.get(name);
  if (json === undefined || json.is === 'null') return undefined;
  if (json.is !== 'string') throw leftOut(source, json.column, `${name} is ${WHAT[json.is]}, and not a text`);
  // The column after the quote.
  return json.value === '' ? undefined : { value: json.value, column: json.column + 1 };
}

/** The boolean value of a member; the default is false. */
export function flagIn({ source }: Reading, members: Members, name: string): boolean {
  const json = members.get(name);
  if (json === undefined || json.is === 'null') return false;
  if (json.is !== 'boolean')
    throw leftOut(source, json.column, `${name} is ${WHAT[json.is]}, and neither true nor false`);
  return json.value;
}

/** The labels of a member, sorted by key; undefined if it is missing. */
export function labelsIn(
  { source }: Reading,
  members: Members,
  name: string,
): readonly (readonly [Part, string])[] | undefined {
  const json = members.get(name);
  if (json === undefined || json.is === 'null') return undefined;
  if (json.is !== 'object') throw leftOut(source, json.column, `${name} is ${WHAT[json.is]}, and not an object`);
  const labels = new Map<string, readonly [Part, string]>();
  for (const { key, column, value } of json.members) {
    if (value.is !== 'string' && value.is !== 'null')
      throw leftOut(source, value.column, `the label '${key}' is ${WHAT[value.is]}, and not a text`);
    labels.set(key, [{ value: key, column: column + 1 }, value.is === 'null' ? '' : value.value]);
  }
  return [...labels.values()].toSorted(([a], [b]) => (a.value < b.value ? -1 : 1));
}

/** An entry whose types were checked. It is evaluated once all entries have valid types. */
type Meant = () => ObjectDependency;

/**
 * Checks the types of all entries before the first is used, since in kubernetes-entrypoint one wrong type skips the
 * whole variable.
 */
export function entriesIn(
  source: Source,
  way: Leniency,
  read: (reading: Reading, json: Json) => Meant,
): ObjectDependency[] {
  const reading = { source, way };
  const all = skipIfLenient(way, () => itemsIn(reading, parseJson(source)).map((json) => read(reading, json))) ?? [];
  return all.flatMap((meant) => skipIfLenient(way, meant) ?? []);
}

/** The namespace of an entry, or the default. Throws UsageError for an invalid name. */
export function namespaceOf(source: Source, given: Part | undefined, base: string): string {
  if (given !== undefined) checkName(source, 'a namespace', given, 'label');
  return given?.value ?? base;
}

/** Labels such as `app=x`. Throws UsageError if there are none, which matched nothing in kubernetes-entrypoint. */
export function selectorOf(source: Source, json: Json, labels: ReturnType<typeof labelsIn>, what: string): string[] {
  if (labels === undefined || labels.length === 0)
    throw wrong(
      source,
      json.column,
      `no selection: ${what} is waited for by ${what === 'a Job' ? 'name or ' : ''}labels`,
    );
  return labels.map(([key, value]) => {
    const label = `${key.value}=${value}`;
    checkLabel(source, { value: label, column: key.column });
    return label;
  });
}
