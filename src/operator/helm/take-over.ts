import { ApiError, unlessGone } from '../../kube/api-error.ts';
import { objectPath } from '../../kube/path.ts';
import type { KubeClient, KubeObject, ObjectRef } from '../../kube/types.ts';

/** A set of fields, as the API server writes it: `{"f:spec":{"f:replicas":{}}}`. Leaves are empty. */
interface Fields {
  readonly [key: string]: Fields;
}

/** What one manager has written of an object. */
interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fieldsV1?: Fields;
}

interface Managed extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly managedFields?: readonly ManagedFields[] };
}

/** The manager that Helm 4 applies as. */
const HELM = 'helm';
/** Each time, someone else has written the object in between. */
const TRIES = 10;

/**
 * Makes the fields of an object that Helm has applied Helm's alone. Who has set a field, and then put the same into the
 * values, keeps his share in it, so that the next change of the value would be a conflict again.
 */
export async function takeOver(client: KubeClient, ref: ObjectRef, signal: AbortSignal): Promise<void> {
  for (let tries = 1; ; tries++) {
    const object = await client.get<Managed>(objectPath(ref), { signal }).catch(unlessGone);
    const { resourceVersion, managedFields = [] } = object?.metadata ?? {};
    const owned = ownedByHelm(managedFields);
    if (owned === undefined) return;
    const metadata = { resourceVersion, managedFields: owned };
    try {
      await client.request('PATCH', objectPath(ref), { metadata }, { signal });
      return;
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 409 && tries < TRIES)) throw error;
    }
  }
}

/** The entries without what others share with Helm; undefined if there is nothing of the kind. */
export function ownedByHelm(entries: readonly ManagedFields[]): ManagedFields[] | undefined {
  const applied = entries.find(({ manager, operation }) => manager === HELM && operation === 'Apply')?.fieldsV1;
  if (applied === undefined) return undefined;
  let isShared = false;
  const owned = entries.flatMap((entry): ManagedFields[] => {
    const { fieldsV1 = {}, manager, operation, subresource } = entry;
    if ((manager === HELM && operation === 'Apply') || subresource === 'status') return [entry];
    const rest = without(fieldsV1, applied);
    if (JSON.stringify(rest) === JSON.stringify(fieldsV1)) return [entry];
    isShared = true;
    return Object.keys(rest).length === 0 ? [] : [{ ...entry, fieldsV1: rest }];
  });
  return isShared ? owned : undefined;
}

/** The fields of one set that are not in the other. */
function without(fields: Fields, others: Fields): Fields {
  const rest = Object.entries(fields).flatMap(([key, below]): [string, Fields][] => {
    const other = others[key];
    if (other === undefined) return [[key, below]];
    if (Object.keys(below).length === 0) return [];
    const left = without(below, other);
    return Object.keys(left).length === 0 ? [] : [[key, left]];
  });
  return Object.fromEntries(rest);
}
