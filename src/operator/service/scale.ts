import { isDeepStrictEqual } from 'node:util';
import type { ManifestObject } from '../helm/release.ts';
import type { HelmValues, OpenStackWorkload, ReplicaKind } from '../api/objects.ts';

/** Whether an object of a manifest has an OpenStackWorkload. */
export function isReplicated(object: ManifestObject): object is ManifestObject & { readonly kind: ReplicaKind } {
  return ['Deployment', 'StatefulSet', 'DaemonSet'].includes(object.kind);
}

/**
 * The replicas that OpenStackWorkloads ask for, as values of the chart: what Helm renders is changed only through Helm.
 * @param objects of the newest revision, in which a label names the workload's key
 */
export function scaleValues(
  objects: readonly ManifestObject[],
  find: (name: string) => OpenStackWorkload | undefined,
): HelmValues {
  const scaled = objects.flatMap(({ kind, name, component }) => {
    const { spec } = find(name) ?? {};
    if (component === undefined || spec === undefined || (spec.kind ?? 'Deployment') !== kind) return [];
    const replicas = spec.drain === true ? 0 : spec.replicas;
    return kind === 'DaemonSet' || replicas === undefined ? [] : [[component, { replicas }] as const];
  });
  return scaled.length === 0 ? {} : { workloads: Object.fromEntries(scaled) };
}

/** Whether values differ only in what needs no Jobs: numbers of replicas, and whether the last Jobs are suspended. */
export function isScaling(from: HelmValues, to: HelmValues): boolean {
  return isDeepStrictEqual(unscaled(from), unscaled(to));
}

function unscaled(values: HelmValues): HelmValues {
  // Each of them may be null: that is how values remove a default of the chart.
  const { workloads, upgrade, ...rest } = values as {
    readonly workloads?: Readonly<Record<string, HelmValues | null>> | null;
    readonly upgrade?: HelmValues | null;
  };
  const { pauseBefore: _, ...upgrading } = upgrade ?? {};
  const others = Object.entries(workloads ?? {}).flatMap(([key, given]): [string, HelmValues | null][] => {
    if (given === null) return [[key, given]];
    const { replicas: __, ...workload } = given;
    return Object.keys(workload).length === 0 ? [] : [[key, workload]];
  });
  const kept = { workloads: Object.fromEntries(others), upgrade: upgrading };
  return { ...rest, ...Object.fromEntries(Object.entries(kept).filter(([, part]) => Object.keys(part).length > 0)) };
}
