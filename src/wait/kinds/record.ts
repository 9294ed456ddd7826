import { backoffMs, pause } from '../../core/backoff.ts';
import { messageOf } from '../../core/errors.ts';
import { ApiError } from '../../kube/api-error.ts';
import { dbSyncLease, dbSyncRecord, readinessIn, releaseOf } from '../../kube/db-sync-lease.ts';
import { objectPath } from '../../kube/path.ts';
import { placeOf, resourceName, userIn } from '../../kube/role.ts';
import type { KubeClient, KubeObject, ObjectRef } from '../../kube/types.ts';
import { PLAIN, shaped } from '../shape/shape.ts';
import { met, pending, refused, type WaitState } from '../dependency/verdict.ts';
import type { Effects, Report } from '../dependency/waiter.ts';

interface RecordQuestion {
  readonly namespace: string;
  /** The name of the migration. */
  readonly name: string;
  /** The release; undefined for any release. */
  readonly release: string | undefined;
  /** Whether the wait names the migration, so that its Role should allow to read the Lease. */
  readonly isNamed: boolean;
}

/** Judges a migration's record for a wait. */
export function judgeRecord(lease: KubeObject, wanted: string | undefined): WaitState {
  const { isReady, isRefused, says } = readinessIn(dbSyncRecord(lease), wanted);
  if (isRefused) return refused(`Lease ${lease.metadata.name}: ${says}`);
  return isReady ? met(says) : pending(says);
}

/**
 * The verdict of a migration's Lease, used instead of a missing Job. The Lease is read once, because a Job created
 * later is observed directly. Undefined if there is no Lease, it is not readable, or the Job exists, because its watch is
 * only slow: then the wait for the Job continues.
 * @param state the state of the missing Job
 * @param job the Job whose absence only a watch without events suggests; undefined if it is certain
 */
export async function recordOf(
  { kube, warn }: Effects,
  { namespace, name, release }: RecordQuestion,
  state: string,
  job: ObjectRef | undefined,
  signal: AbortSignal,
): Promise<WaitState | undefined> {
  const client = await kube();
  const ref = dbSyncLease(namespace, name);
  try {
    const lease = await read(client, objectPath(ref), { signal, tries: TRIES });
    if (lease === undefined) return undefined;
    const verdict = judgeRecord(shaped(PLAIN, lease) as KubeObject, release);
    if (verdict.is === 'pending') return pending(`${state}; Lease ${ref.name}: ${verdict.state}`);
    if (job !== undefined && (await exists(client, job, warn, signal))) return undefined;
    return verdict.is === 'met' ? met(`the Job is gone; Lease ${ref.name} reports ${verdict.state}`) : verdict;
  } catch (error) {
    signal.throwIfAborted();
    if (isDenied(error)) return undefined;
    warn(`cannot read Lease ${ref.name}, which replaces a Job that is gone: ${messageOf(error)}`);
    return undefined;
  }
}

/**
 * Whether a migration's Lease forbids what its Complete Jobs allow: after `helm rollback` the Jobs of the older release
 * exist, and the schema is that of the newer one. Undefined if not, or if there is no Lease.
 * @param jobs whose own release counts if the wait names none
 */
export async function refusalIn(
  { kube, warn }: Effects,
  { namespace, name, release, isNamed }: RecordQuestion,
  jobs: readonly KubeObject[],
  report: Report,
  signal: AbortSignal,
): Promise<WaitState | undefined> {
  const wanted = release === undefined ? jobs.map(({ metadata }) => releaseOf(metadata)) : [release];
  const named = wanted.filter((each) => each !== undefined);
  if (named.length === 0) return undefined;
  const client = await kube();
  const ref = dbSyncLease(namespace, name);
  const say = (why: string) => report(`Complete; waiting for Lease ${ref.name} from the API server: ${why}`);
  try {
    const lease = await read(client, objectPath(ref), { signal, tries: Infinity, say });
    if (lease === undefined) return undefined;
    const verdicts = named.map((each) => judgeRecord(shaped(PLAIN, lease) as KubeObject, each));
    return verdicts.find(({ is }) => is === 'refused');
  } catch (error) {
    if (!isDenied(error)) throw error;
    if (isNamed)
      warn(
        `cannot read Lease ${ref.name}, which tells whether the schema is that of a newer release: ${messageOf(error)}`,
      );
    return undefined;
  }
}

/** A Role from before this question does not allow it: then the watch counts, and a warning says so. */
async function exists(
  client: KubeClient,
  job: ObjectRef,
  warn: Effects['warn'],
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return (await read(client, objectPath(job), { signal, tries: TRIES })) !== undefined;
  } catch (error) {
    if (!isDenied(error)) throw error;
    const who = userIn(messageOf(error)) ?? 'this user';
    warn(
      `${who} may not get ${resourceName(job)} ${job.name} ${placeOf(job)}, whose watch has no events: it counts as gone; add the verb get to the Role`,
    );
    return false;
  }
}

/** Retried for up to half a minute, because no event of the watch would repeat the reading soon. */
const TRIES = 10;
const BACKOFF = { minMs: 200, maxMs: 5000 };

interface Reading {
  readonly signal: AbortSignal;
  readonly tries: number;
  readonly say?: (why: string) => void;
}

/** The object's metadata; undefined if it is missing. Rejects at once if it may not be read. */
async function read(client: KubeClient, path: string, { signal, tries, say }: Reading): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.get<unknown>(path, { signal, metadataOnly: true });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ApiError && error.status === 404) return undefined;
      if (attempt >= tries || isDenied(error)) throw error;
      say?.(messageOf(error));
      await pause(backoffMs(attempt, BACKOFF), signal);
    }
  }
}

function isDenied(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403;
}
