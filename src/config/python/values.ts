/** Python's semantics for values from JSON or YAML. */
import { unexpected } from '../failure/failure.ts';

export type Mapping = Readonly<Record<string, unknown>>;

/** Whether the value is a dict in Python. */
export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Truth value as in Python: the string `"false"` is true, 0 and "" and {} are false. */
export function isTrue(value: unknown): boolean {
  if (typeof value !== 'object') return Boolean(value);
  if (Array.isArray(value)) return value.length > 0;
  return isMapping(value) ? Object.keys(value).length > 0 : Boolean(value);
}

/** The items of `for x in value`. Throws exit code 2 if it is not iterable. */
export function each(value: unknown, place: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return Array.from(value);
  if (isMapping(value)) return Object.keys(value);
  throw unexpected(`${place} must be a list, but is ${typeName(value)}`);
}

/** The items of a section, all mappings; none if the section is missing. */
export function mappings(document: Mapping, section: string): readonly Mapping[] {
  const value = Object.hasOwn(document, section) ? document[section] : [];
  const elements = each(value, section);
  if (elements.every(isMapping)) return elements;
  const i = elements.findIndex((element) => !isMapping(element));
  throw unexpected(`${section}[${i}] must be a mapping, but is ${typeName(elements[i])}`);
}

/** The value if it is a string; otherwise throws exit code 2. */
export function text(value: unknown, place: string): string {
  if (typeof value === 'string') return value;
  throw unexpected(`${place} must be a string, but is ${typeName(value)}`);
}

/** The name of the type in config.json. */
export function typeName(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Date) return 'a date';
  return typeof value === 'object' ? 'a mapping' : `a ${typeof value}`;
}

/** Same as Python's os.path.dirname. */
export function dirname(path: string): string {
  const end = path.lastIndexOf('/') + 1;
  let cut = end;
  while (path[cut - 1] === '/') cut--;
  // A path of slashes only is the root, whatever their number.
  return path.slice(0, cut === 0 ? end : cut);
}

/** Same as Python's os.path.basename: empty for `directory/`. */
export function basename(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Same as Python's os.path.join. */
export function join(directory: string, name: string): string {
  if (name.startsWith('/') || directory === '') return name;
  return directory.endsWith('/') ? directory + name : `${directory}/${name}`;
}

/** The path without trailing slashes; the root keeps one. */
export function trimmed(path: string): string {
  return path.endsWith('/') ? path.replace(/(?<=.)\/+$/, '') : path;
}
