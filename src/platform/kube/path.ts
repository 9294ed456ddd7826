import type { ObjectRef } from './types.ts';

/** Where the API server has an object, and the folder that a watch looks at. */
export function objectPath(ref: ObjectRef): { readonly folder: string; readonly object: string } {
  const root = ref.group === '' ? `/api/${ref.version}` : `/apis/${ref.group}/${ref.version}`;
  const folder = `${root}/namespaces/${encodeURIComponent(ref.namespace)}/${ref.resource}`;
  return { folder, object: `${folder}/${encodeURIComponent(ref.name)}` };
}
