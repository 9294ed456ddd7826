import { defined } from '../core/defined.ts';
import type { KubeObject } from '../kube/types.ts';
import type { Pod } from '../kube/pods.ts';
import { RESTART } from './workload/change.ts';

/** managedFields are larger than the rest of many objects. */
export function stripManagedFields<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata as T['metadata'] & { managedFields?: unknown };
  return { ...object, metadata };
}

/** A workload without its Pod template, of which only the restart is read. */
export function stripTemplate(object: KubeObject): KubeObject {
  const { template, ...spec } = (object as { spec?: { template?: Partial<KubeObject> } }).spec ?? {};
  const restart = template?.metadata?.annotations?.[RESTART];
  const own = restart === undefined ? {} : { template: { metadata: { annotations: { [RESTART]: restart } } } };
  return { ...stripManagedFields(object), spec: { ...spec, ...own } } as KubeObject;
}

/** What is read of a Pod. */
export function stripPod({ metadata, spec, status }: Pod): Pod {
  const { name, uid, resourceVersion, labels = {}, annotations = {} } = metadata as Pod['metadata'] & { uid?: string };
  const containers = spec?.containers?.map(({ name: container, image }) => ({
    name: container,
    ...defined({ image }),
  }));
  const { phase, conditions, containerStatuses, initContainerStatuses } = status ?? {};
  const release = annotations['kolla-pod/release'];
  return {
    metadata: {
      name,
      uid,
      resourceVersion,
      labels,
      annotations: release === undefined ? {} : { 'kolla-pod/release': release },
    },
    spec: { nodeName: spec?.nodeName, containers },
    status: { phase, conditions, containerStatuses, initContainerStatuses },
  } as Pod;
}
