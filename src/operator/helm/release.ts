import { gunzipSync, gzipSync } from 'node:zlib';
import { defined } from '../../core/defined.ts';
import { ApiError, unlessGone } from '../../kube/api-error.ts';
import { objectPath } from '../../kube/path.ts';
import type { KubeClient, KubeObject, ObjectRef } from '../../kube/types.ts';
import { codeOf, messageOf } from '../../core/errors.ts';
import type { HelmValues } from '../api/objects.ts';
import { documentsIn } from './documents.ts';

/** On the objects of the charts' library: the key of the workload in the values. */
const COMPONENT_LABEL = 'app.kubernetes.io/component';
/** On the Jobs of the charts' library. */
const MIGRATION_ANNOTATION = 'kolla-pod/migration';

/** The Secret in which Helm keeps one revision of a release. */
export interface ReleaseSecret extends KubeObject {
  readonly data?: { readonly release?: string };
}

/** An object of a release's manifest. */
export interface ManifestObject {
  readonly kind: string;
  readonly name: string;
  /** The key of a workload in the values of the charts' library. */
  readonly component?: string;
  /** The migration that a Job belongs to: the suffix of its Lease. */
  readonly migration?: string;
  /** Whether the chart suspends the Job: `upgrade.pauseBefore`. */
  readonly isSuspended?: boolean;
}

/** One revision of a release, as Helm has recorded it. */
export interface Release {
  readonly revision: number;
  /** Helm's: `deployed`, `failed`, `pending-upgrade`, `superseded` ... */
  readonly status: string;
  readonly description: string;
  readonly updated: Date;
  readonly chart: { readonly name: string; readonly version: string; readonly dependencies?: readonly string[] };
  readonly values: HelmValues;
  readonly objects: readonly ManifestObject[];
  readonly labels: Readonly<Record<string, string>>;
  /** Whether Helm has applied it on the server, which then tells Helm of fields that others have written. */
  readonly isServerSide: boolean;
}

/** The fields used of Helm's record, of which Helm 3 and 4 have the same version. */
interface HelmReleaseRecord {
  readonly info?: { readonly status?: string; readonly description?: string; readonly last_deployed?: string };
  readonly chart?: {
    readonly metadata?: {
      readonly name?: string;
      readonly version?: string;
      readonly dependencies?: readonly { readonly name?: string }[] | null;
    };
  };
  readonly config?: HelmValues | null;
  readonly manifest?: string;
  /** Of Helm 4; `csa` also for releases that Helm 3 has installed. Helm 3 drops it. */
  readonly apply_method?: 'ssa' | 'csa';
}

/** Helm's name for the Secret of a revision. */
function secretRef(namespace: string, name: string, revision: number): ObjectRef {
  return { group: '', version: 'v1', resource: 'secrets', namespace, name: `${secretPrefix(name)}${revision}` };
}

/** The beginning of the names of a release's Secrets. Those of a release named `NAME.v...` begin so too. */
export function secretPrefix(name: string): string {
  return `sh.helm.release.v1.${name}.v`;
}

/** The release and revision of such a Secret; undefined for any other Secret. */
export function revisionOf({ metadata }: KubeObject): { readonly name: string; readonly revision: number } | undefined {
  const [, name, revision] = /^sh\.helm\.release\.v1\.(.+)\.v(\d+)$/.exec(metadata.name) ?? [];
  return name === undefined ? undefined : { name, revision: Number(revision) };
}

/**
 * The newest revision as the server has it now; undefined if there is none.
 * @param known a revision that existed, from a cache; 0 if there was none
 */
export async function newestRelease(
  client: KubeClient,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  known: number,
  signal: AbortSignal,
): Promise<Release | undefined> {
  const read = (revision: number) =>
    client.get<ReleaseSecret>(objectPath(secretRef(namespace, name, revision)), { signal }).catch(unlessGone);
  let [revision, newest] = [known, known === 0 ? undefined : await read(known)];
  for (let next; (next = await read(revision + 1)) !== undefined; revision++) newest = next;
  return newest === undefined ? undefined : releaseIn(newest);
}

/** @throws RecordError */
function releaseIn(secret: ReleaseSecret): Release {
  const place = `Secret ${secret.metadata.name}`;
  const record = parsed(place, () => JSON.parse(recordIn(secret)) as HelmReleaseRecord);
  const { info = {}, chart, config, manifest = '', apply_method: applyMethod } = record;
  const { name = '', version = '', dependencies } = chart?.metadata ?? {};
  return {
    revision: revisionOf(secret)?.revision ?? 0,
    status: info.status ?? 'unknown',
    description: info.description ?? '',
    updated: new Date(info.last_deployed ?? 0),
    chart: { name, version, dependencies: (dependencies ?? []).flatMap((one) => one.name ?? []) },
    values: config ?? {},
    objects: parsed(place, () => objectsIn(manifest)),
    labels: secret.metadata.labels ?? {},
    isServerSide: applyMethod === 'ssa',
  };
}

/** Helm's record of a release, which can't be used. The message names the Secret, and none of its content. */
export class RecordError extends Error {
  override name = 'RecordError';
}

/** JSON of a chart, its values and what it renders. A Secret has a megabyte of it at most, compressed. */
const RECORD_MAX_BYTES = 16 * 2 ** 20;

function parsed<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const code = codeOf(error);
    const large = code === 'ERR_BUFFER_TOO_LARGE' ? `larger than ${RECORD_MAX_BYTES} bytes` : undefined;
    // Errors of JSON.parse quote the text.
    const why = large ?? (error instanceof SyntaxError ? 'not JSON' : messageOf(error));
    throw new RecordError(`Helm's record in ${place} can't be read: ${why}; delete it to use the one before it`);
  }
}

/** Base64 within a Secret's base64, and gzip. */
function recordIn({ data }: ReleaseSecret): string {
  const inner = Buffer.from(Buffer.from(data?.release ?? '', 'base64').toString('latin1'), 'base64');
  const isPacked = inner[0] === 0x1f && inner[1] === 0x8b;
  return (isPacked ? gunzipSync(inner, { maxOutputLength: RECORD_MAX_BYTES }) : inner).toString('utf8');
}

interface Manifest {
  readonly kind?: string;
  readonly metadata?: Partial<KubeObject['metadata']>;
  readonly spec?: { readonly suspend?: boolean };
}

function objectsIn(manifest: string): ManifestObject[] {
  return documentsIn(manifest, (object) => {
    const { kind, metadata = {}, spec } = (object ?? {}) as Manifest;
    const { name, labels, annotations } = metadata;
    if (kind === undefined || name === undefined) return [];
    const component = labels?.[COMPONENT_LABEL];
    const migration = annotations?.[MIGRATION_ANNOTATION];
    const isSuspended = kind === 'Job' && spec?.suspend === true ? true : undefined;
    return [{ kind, name, ...defined({ component, migration, isSuspended }) }];
  });
}

/**
 * Ends an interrupted operation, so that Helm accepts the next one: the revision becomes `failed`, as if Helm had handled
 * the error itself. An interrupted first installation is forgotten, because the next one must not count as an upgrade.
 * Throws ApiError 409 if the Secret has changed since it was read.
 */
export async function unlock(
  client: KubeClient,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { revision, status }: Release,
  signal: AbortSignal,
): Promise<void> {
  const ref = secretRef(namespace, name, revision);
  const secret = await client.get<ReleaseSecret>(objectPath(ref), { signal });
  const { resourceVersion } = secret.metadata;
  const record = parseExactly(recordIn(secret)) as { info: Record<string, unknown> };
  if (record.info['status'] !== status)
    throw new ApiError(409, `revision ${revision} is ${String(record.info['status'])} now`);
  if (revision === 1 && (status === 'pending-install' || status === 'failed')) {
    const preconditions = { resourceVersion };
    await client.request('DELETE', objectPath(ref), { preconditions }, { signal });
    return;
  }
  record.info['status'] = 'failed';
  record.info['description'] = `interrupted while ${status}`;
  const release = Buffer.from(gzipSync(JSON.stringify(record)).toString('base64')).toString('base64');
  const labels = { ...secret.metadata.labels, status: 'failed' };
  const next = { ...secret, metadata: { ...secret.metadata, labels }, data: { release } };
  await client.request('PUT', objectPath(ref), next, { signal });
}

/** JSON whose numbers keep their text: those of a chart's values may be larger than a double's precision. */
function parseExactly(text: string): unknown {
  return JSON.parse(text, ((_: string, value: unknown, { source }: { source?: string }) =>
    typeof value === 'number' && source !== undefined ? rawJson(source) : value) as (
    key: string,
    value: unknown,
  ) => unknown);
}

const { rawJSON: rawJson } = JSON as unknown as { rawJSON: (text: string) => unknown };
