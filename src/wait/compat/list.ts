import { checkName, wrong, type NameRule, type Part, type Source } from '../grammar/source.ts';
import { leftOut, skipIfLenient, type Leniency } from './leave-out.ts';

/** One entry of a list `name,namespace:name`. */
interface Entry {
  readonly name: Part;
  /** Undefined for the default namespace. */
  readonly namespace: Part | undefined;
}

/** The entries of a list. As in kubernetes-entrypoint the text is split at commas and colons, and not trimmed. */
function listOf(source: Source, way: Leniency): Entry[] {
  let column = 1;
  return source.text.split(',').flatMap((value) => {
    const part = { value, column };
    column += value.length + 1;
    return skipIfLenient(way, () => entryOf(source, part)) ?? [];
  });
}

function entryOf(source: Source, { value, column }: Part): Entry {
  const [first = '', second, ...more] = value.split(':');
  if (second === undefined) return { name: { value, column }, namespace: undefined };
  if (more.length > 0) throw leftOut(source, column, `'${value}' has more than one ':'; write NAME or NAMESPACE:NAME`);
  if (first === '') throw leftOut(source, column, `'${value}' has no namespace before its ':'`);
  return { name: { value: second, column: column + first.length + 1 }, namespace: { value: first, column } };
}

/** Entries that name API objects. Throws UsageError for an invalid name, which could never exist. */
export function objectsOf(
  source: Source,
  way: Leniency,
  what: string,
  rule: NameRule,
): { name: string; namespace?: string }[] {
  return listOf(source, way).map(({ name, namespace }) => {
    checkName(source, what, name, rule);
    if (namespace === undefined) return { name: name.value };
    checkName(source, 'a namespace', namespace, 'label');
    return { name: name.value, namespace: namespace.value };
  });
}

/** Entries about this Pod. As in kubernetes-entrypoint, a namespace before them is skipped; this is logged. */
export function namesOf(source: Source, way: Leniency): Part[] {
  return listOf(source, way).map(({ name, namespace }) => {
    if (namespace?.value.includes('/') === true)
      throw wrong(source, name.column - 1, "a path with ':' is not supported here");
    if (namespace !== undefined)
      way.warn(`${source.called}, column ${namespace.column}: '${namespace.value}:' means nothing here and is skipped`);
    return name;
  });
}

/** Entries that are paths. Throws UsageError for an empty path, and for leading or trailing spaces. */
export function pathsOf(source: Source, way: Leniency): string[] {
  return namesOf(source, way).map(({ value, column }) => {
    if (value === '') throw wrong(source, column, 'a path is missing');
    const blank = /^\s|\s$/.exec(value);
    if (blank !== null) throw wrong(source, column + blank.index, 'a space next to the path is not allowed');
    return value;
  });
}
