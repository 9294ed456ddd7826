import { suggestion } from '../../core/nearest.ts';
import type { Part, Source } from '../grammar/problem.ts';
import type { Json } from './json.ts';
import { leftOut, orLeaveOut, type Way } from './leave-out.ts';

/** Where a value is read from. */
export interface Reading {
  readonly source: Source;
  readonly way: Way;
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

/** The items of a list; none of null. */
export function itemsIn({ source }: Reading, json: Json | undefined): readonly Json[] {
  if (json === undefined || json.is === 'null') return [];
  if (json.is === 'array') return json.items;
  throw leftOut(source, json.column, `this is ${WHAT[json.is]}, and not a list`);
}

/**
 * The members of an object under their known names, whatever their capitals are, as Go's reader takes them; none of null.
 * An unknown one would be passed over in silence there, though somebody meant something by it.
 */
export function membersIn({ source, way }: Reading, json: Json, known: readonly string[]): Members {
  const members = new Map<string, Json>();
  if (json.is === 'null') return members;
  if (json.is !== 'object') throw leftOut(source, json.column, `this is ${WHAT[json.is]}, and not an object`);
  for (const { key, column, value } of json.members) {
    const name = known.find((each) => each.toLowerCase() === key.toLowerCase());
    if (name !== undefined) members.set(name, value);
    else
      orLeaveOut(way, () => {
        throw leftOut(source, column, `no '${key}' here${suggestion(key, known)}`);
      });
  }
  return members;
}

/** The text under a name; undefined where there is none, and where it is empty or null, which is the same there. */
export function textIn({ source }: Reading, members: Members, name: string): Part | undefined {
  const json = members.get(name);
  if (json === undefined || json.is === 'null') return undefined;
  if (json.is !== 'string') throw leftOut(source, json.column, `${name} is ${WHAT[json.is]}, and not a text`);
  // Behind the quote.
  return json.value === '' ? undefined : { value: json.value, column: json.column + 1 };
}

/** The truth value under a name; false where there is none. */
export function flagIn({ source }: Reading, members: Members, name: string): boolean {
  const json = members.get(name);
  if (json === undefined || json.is === 'null') return false;
  if (json.is !== 'boolean')
    throw leftOut(source, json.column, `${name} is ${WHAT[json.is]}, and neither true nor false`);
  return json.value;
}

/** The labels under a name, sorted by key; undefined where there is no such member. */
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
