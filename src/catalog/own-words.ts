/** What the schemas of a service of one's own are made of. */
import * as v from 'valibot';

export const Text = v.pipe(
  v.string((issue) => `must be a string, but is ${issue.received}`),
  v.minLength(1, 'is empty'),
  v.check((text) => !text.includes('\0'), 'holds a NUL character'),
);
export const Word = v.pipe(
  v.union([v.string(), v.number()], (issue) => `must be a word, but is ${issue.received}`),
  v.transform(String),
  v.check((text) => !text.includes('\0'), 'holds a NUL character'),
);
export const AbsolutePath = v.pipe(
  Text,
  v.check((text) => text.startsWith('/'), 'must be an absolute path'),
);
/** A record of valibot would take a list, with its positions for keys. */
export const Mapping = v.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  (issue) => `must be a mapping, but is ${issue.received}`,
);

/** An option in the service's configuration. */
export const Place = v.strictObject({ section: Text, key: Text });

/** A list of that. */
export function ListOf<S extends v.GenericSchema>(item: S): v.ArraySchema<S, string> {
  return v.array(item, 'must be a list');
}
