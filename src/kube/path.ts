import type { KubeObject, ObjectRef, SetRef } from './types.ts';

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * The path of a list, a watch and a POST: `/apis/batch/v1/namespaces/ns/jobs`.
 * @param query parameters; undefined ones are left out
 */
export function collectionPath(
  { group, version, resource, namespace = '' }: Omit<SetRef, 'names'>,
  query: Query = {},
): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const place = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return `${root}${place}/${resource}${given.length === 0 ? '' : `?${given.join('&')}`}`;
}

/** The path of one object: `/apis/batch/v1/namespaces/ns/jobs/sync`. */
export function objectPath(ref: ObjectRef): string {
  return `${collectionPath(ref)}/${encodeURIComponent(ref.name)}`;
}

/** Reference to a Pod. */
export function podRef(namespace: string, name: string): ObjectRef {
  return { group: '', version: 'v1', resource: 'pods', namespace, name };
}

/** The name, or namespace/name if the set spans namespaces. */
export function keyOf({ namespace = '' }: SetRef, { metadata }: KubeObject): string {
  return namespace !== '' || metadata.namespace === undefined
    ? metadata.name
    : `${metadata.namespace}/${metadata.name}`;
}
