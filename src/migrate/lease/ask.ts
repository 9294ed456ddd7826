import { formatDuration } from '../../core/duration.ts';
import { ApiError } from '../../kube/api-error.ts';
import { collectionPath, objectPath } from '../../kube/path.ts';
import type { LeaseObject } from './object.ts';
import type { LeaseSite } from './site.ts';

export interface AskOptions {
  /** Timeout of one request. */
  readonly withinMs: number;
  readonly signal?: AbortSignal;
}

/** The current Lease; undefined if it does not exist. Rejects like KubeClient.get(). */
export async function readLease({ client, ref }: LeaseSite, options: AskOptions): Promise<LeaseObject | undefined> {
  try {
    return await answered(options, (signal) => client.get<LeaseObject>(objectPath(ref), { signal }));
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

/**
 * Writes the Lease with optimistic concurrency: replaces the version that it contains, or creates it. Rejects like
 * KubeClient.request(): 409 if another client was faster, 404 if it was deleted meanwhile.
 */
export async function writeLease(
  { client, ref }: LeaseSite,
  lease: LeaseObject,
  options: AskOptions,
): Promise<LeaseObject> {
  const isNew = lease.metadata.resourceVersion === undefined;
  const path = isNew ? collectionPath(ref) : objectPath(ref);
  const method = isNew ? 'POST' : 'PUT';
  return await answered(options, (signal) => client.request<LeaseObject>(method, path, lease, { signal }));
}

/** The status; undefined if no API server responded. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof ApiError ? error.status : undefined;
}

export function isConflict(error: unknown): boolean {
  return statusOf(error) === 409;
}

/**
 * Statuses of requests that can never succeed. Transient statuses and those with a specific meaning are not included.
 */
const HOPELESS = new Set([400, 404, 405, 413, 415, 422]);

/** Whether a retry would fail in the same way. */
export function isHopeless(error: unknown): error is ApiError {
  return HOPELESS.has(statusOf(error) ?? 0);
}

async function answered<T>({ withinMs, signal }: AskOptions, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ms = Math.max(1, Math.ceil(withinMs));
  const late = AbortSignal.timeout(ms);
  try {
    return await ask(signal === undefined ? late : AbortSignal.any([signal, late]));
  } catch (cause) {
    signal?.throwIfAborted();
    throw late.aborted ? new Error(`no response in ${formatDuration(ms)}`, { cause }) : cause;
  }
}
