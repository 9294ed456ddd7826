import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { KubeClient } from '../../kube/types.ts';
import { findChart, type Chart } from '../helm/chart.ts';
import type { Release } from '../helm/release.ts';
import { merge, readValues } from '../helm/values.ts';
import type { HelmValues, OpenStackService } from '../api/objects.ts';

/** What the Helm release of a service should be. */
export interface Desired {
  readonly chart: Chart;
  readonly values: HelmValues;
  readonly secrets: readonly string[];
  /** Identifies chart and values. */
  readonly digest: string;
  readonly release: string | undefined;
  /** Whether Helm takes over fields that others have written. */
  readonly forceConflicts: boolean;
}

/**
 * @param scale values with precedence over all others
 * @throws ChartError, ValuesError, ApiError
 */
export async function desiredOf(
  client: KubeClient,
  charts: string,
  { metadata, spec }: Pick<OpenStackService, 'metadata' | 'spec'>,
  scale: HelmValues,
  signal: AbortSignal,
): Promise<Desired> {
  const { chart: wanted = {}, release, tag = release, valuesFrom = [], forceConflicts = false } = spec;
  const chart = await findChart(charts, wanted.name ?? metadata.name, wanted.version);
  const { values: below, secrets } = await readValues(client, metadata.namespace, valuesFrom, signal);
  const merged = merge(merge(below, spec.values ?? {}), scale);
  const values = plain(tag === undefined ? merged : merge(merged, { global: { tag } }));
  return { chart, values, secrets, digest: digestOf(chart, values, forceConflicts), release, forceConflicts };
}

/** As Helm reads it: YAML may contain dates. */
function plain(values: HelmValues): HelmValues {
  return JSON.parse(JSON.stringify(values)) as HelmValues;
}

function digestOf({ name, version }: Chart, values: HelmValues, forceConflicts: boolean): string {
  return createHash('sha256')
    .update(JSON.stringify([name, version, values, ...(forceConflicts ? [true] : [])]))
    .digest('hex')
    .slice(0, 16);
}

/**
 * Labels on Helm's Secrets. Helm copies them to each following revision, also of other users, so each value names the
 * revision that it is about.
 */
export const LABELS = {
  /** The process of the operator that has started this revision. */
  process: 'kolla-pod.io/process',
  /** The digest of what the operator wanted. */
  desired: 'kolla-pod.io/desired',
  /** The OpenStack release. */
  release: 'kolla-pod.io/release',
} as const;

type Labeled = Pick<Release, 'labels' | 'revision'>;

export function labelsFor(
  { digest, release }: Pick<Desired, 'digest' | 'release'>,
  process: string,
  revision: number,
): Record<string, string> {
  return {
    [LABELS.process]: `${process}-${revision}`,
    [LABELS.desired]: `${digest}-${revision}`,
    [LABELS.release]: `${release ?? 'none'}-${revision}`,
  };
}

/** Our label of a revision; undefined if another user has made the revision. */
export function labelOf({ labels, revision }: Labeled, label: keyof typeof LABELS): string | undefined {
  const suffix = `-${revision}`;
  const text = labels[LABELS[label]];
  return text?.endsWith(suffix) === true ? text.slice(0, -suffix.length) : undefined;
}

/** Whether a revision is what is wanted, whoever has made it. */
export function isWanted(release: Release, desired: Desired): boolean {
  if (labelOf(release, 'desired') === desired.digest) return true;
  return isSameChart(release, desired) && isDeepStrictEqual(release.values, desired.values);
}

export function isSameChart({ chart: { name, version } }: Release, { chart }: Desired): boolean {
  return name === chart.name && version === chart.version;
}
