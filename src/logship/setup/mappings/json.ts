/** JSON as sent to a server and received from it. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of keys; undefined if it is missing. */
export function at(value: unknown, key: string, ...path: readonly string[]): Json | undefined {
  const found = isObject(value) ? value[key] : undefined;
  const [next, ...rest] = path;
  return next === undefined ? found : at(found, next, ...rest);
}

/** The string or number at a path, as a string; empty if it is missing. */
export function textAt(value: unknown, key: string, ...path: readonly string[]): string {
  const found = at(value, key, ...path);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
}

/**
 * Whether the actual state contains the wanted one: a server adds its defaults, and returns numbers and booleans in
 * settings as text.
 */
export function holds(actual: unknown, wanted: Json | undefined): boolean {
  if (wanted === undefined) return true;
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(actual) &&
      actual.length === wanted.length &&
      wanted.every((each, i) => holds(actual[i] as unknown, each as Json))
    );
  }
  if (isObject(wanted)) {
    return isObject(actual) && Object.entries(wanted).every(([key, value]) => holds(actual[key], value));
  }
  return isSameValue(actual, wanted);
}

/** Whether two scalars are equal. `2` and `"2"` are. */
export function isSameValue(a: unknown, b: unknown): boolean {
  return isValue(a) && isValue(b) && String(a) === String(b);
}

function isValue(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** Whether two values are equal, regardless of the order of keys. */
export function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

/** The value with the keys of its objects sorted. */
export function sorted(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((each: Json) => sorted(each) ?? null);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, sorted(each)]));
}

const WIDTH = 100;

/**
 * Formats JSON for reading: a value that fits on one line stays on it, so that a field and its mapping are one line.
 */
export function pretty(value: Json | undefined, indent = ''): string {
  const short = JSON.stringify(value ?? null);
  if (typeof value !== 'object' || value === null || indent.length + short.length <= WIDTH)
    return spaced(value ?? null);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    return `[\n${value.map((each: Json) => inner + pretty(each, inner)).join(',\n')}\n${indent}]`;
  }
  const fields = Object.entries(value as JsonObject).filter(([, each]) => each !== undefined);
  const lines = fields.map(([key, each]) => `${inner}${JSON.stringify(key)}: ${pretty(each, inner)}`);
  return `{\n${lines.join(',\n')}\n${indent}}`;
}

function spaced(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((each: Json) => spaced(each)).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, each]) => each !== undefined);
  if (fields.length === 0) return '{}';
  return `{ ${fields.map(([key, each]) => `${JSON.stringify(key)}: ${spaced(each ?? null)}`).join(', ')} }`;
}
