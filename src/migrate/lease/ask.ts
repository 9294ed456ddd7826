import { formatDuration } from '../../core/duration.ts';
import { ApiError } from '../../kube/api-error.ts';
import { collectionPath, objectPath } from '../../kube/path.ts';
import type { LeaseObject } from './object.ts';
import type { LeaseSite } from './site.ts';

export interface AskOptions {
  /** For one answer. */
  readonly withinMs: number;
  readonly signal?: AbortSignal;
}

/** The Lease as it is now; undefined when there is none. Rejects as KubeClient.get(). */
export async function readLease({ client, ref }: LeaseSite, options: AskOptions): Promise<LeaseObject | undefined> {
  try {
    return await answered(options, (signal) => client.get<LeaseObject>(objectPath(ref), { signal }));
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

/**
 * Writes it only if it is unchanged since it was read: in the place of the version that it carries, or as the first one.
 * Rejects as KubeClient.request(): 409 when another client was first, 404 when it was deleted meanwhile.
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

/** Undefined where no API server has answered. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof ApiError ? error.status : undefined;
}

export function isConflict(error: unknown): boolean {
  return statusOf(error) === 409;
}

/** A request that is wrong as it stands. What passes, and what has a meaning of its own, is not among them. */
const HOPELESS = new Set([400, 404, 405, 413, 415, 422]);

/** Whether the API server will say the same again. */
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
    throw late.aborted ? new Error(`no answer in ${formatDuration(ms)}`, { cause }) : cause;
  }
}
