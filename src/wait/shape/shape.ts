/**
 * Validates objects from the API server before they are used, because the status of a custom resource is whatever its
 * controller writes. A field with a wrong type gives no verdict, so the wait continues, also if it is negated.
 */
import * as v from 'valibot';
import { isMapping } from '../../core/mapping.ts';

/** A field whose type differs from the API. */
export class MalformedError extends Error {
  override name = 'MalformedError';
}

/** Messages by valibot's type of issue. */
const CALLED: Readonly<Record<string, string>> = { array: 'list', custom: 'object', record: 'object' };

/** A field that may be missing or null, as every field may be. */
function maybe<T>(schema: v.GenericSchema<unknown, T>): v.GenericSchema<unknown, T | undefined> {
  return v.pipe(
    v.optional(v.nullable(schema)),
    v.transform((value) => value ?? undefined),
  );
}

/** An object that is not a list, since valibot accepts a list as an object with indexes as keys. */
const NO_LIST = v.custom<object>(isMapping);

export type Shape = v.GenericSchema;
type Fields = Readonly<Record<string, Shape>>;

export const TEXT: Shape = maybe(v.string());
export const NUMBER: Shape = maybe(v.number());
export const FLAG: Shape = maybe(v.boolean());

export function fields(of: Fields): Shape {
  return maybe(v.pipe(NO_LIST, v.object(of)));
}

export function listOf(item: Shape): Shape {
  return maybe(v.array(item));
}

export function mapOf(item: Shape): Shape {
  return maybe(v.pipe(NO_LIST, v.record(v.string(), item)));
}

/** The items of a list, without null. */
export function listOfFields(of: Fields): Shape {
  return listOf(v.pipe(NO_LIST, v.object(of)));
}

export const CONDITION: Fields = { type: TEXT, status: TEXT, reason: TEXT, message: TEXT, observedGeneration: NUMBER };

const METADATA: Fields = {
  name: v.string(),
  generation: NUMBER,
  deletionTimestamp: TEXT,
  labels: mapOf(v.string()),
  annotations: mapOf(v.string()),
  ownerReferences: listOfFields({ kind: TEXT, name: TEXT }),
};

/** An object whose metadata only is validated; the rest is kept. */
export const PLAIN: Shape = v.looseObject({ metadata: v.object(METADATA) });

/** An object whose listed fields are also validated. */
export function objectOf(of: Fields): Shape {
  return v.object({ ...of, metadata: v.object(METADATA) });
}

export function fits(shape: Shape, object: unknown): boolean {
  return v.is(shape, object);
}

/**
 * The validated fields of an object, without null.
 * @throws MalformedError with the path of the first invalid field, never its value, which may be a secret
 * @param at the path prefix for messages
 */
export function shaped(shape: Shape, object: unknown, at = ''): unknown {
  const { success, output, issues } = v.safeParse(shape, object, { abortEarly: true });
  if (success) return output;
  const [issue] = issues;
  throw new MalformedError(
    `malformed: ${at}${v.getDotPath(issue) ?? 'the object'} is not of type ${CALLED[issue.type] ?? issue.type}`,
  );
}
