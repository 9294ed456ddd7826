import { dbSyncLease, LEASE_RESOURCE, dbSyncRecord, readinessIn } from '../../kube/db-sync-lease.ts';
import type { ObjectKind } from '../dependency.ts';
import { objectWaiter } from '../objects.ts';
import { refuseOwnMigration } from '../own-migration.ts';
import { PLAIN, shaped } from '../shape.ts';
import { backoffMs, pause } from '../../core/backoff.ts';
import { messageOf } from '../../core/errors.ts';
import { ApiError } from '../../kube/api-error.ts';
import { objectPath } from '../../kube/path.ts';
import { placeOf, resourceName, userIn } from '../../kube/role.ts';
import type { KubeClient, KubeObject, ObjectRef } from '../../kube/types.ts';
import { met, pending, type Verdict } from '../verdict.ts';
import type { Effects } from '../waiter.ts';

export const dbSync: ObjectKind = {
  form: 'object',
  word: 'db-sync',
  aliases: [],
  what: 'a migration',
  means:
    "kolla-db-sync's Lease (kolla-db-sync-NAME) reports the schema as ready for the service's code, or " +
    'for that of the release',
  by: 'name',
  nameRule: 'subdomain',
  hasNamespace: true,
  options: ['release'],
  canBeNegated: false,
  reads: ({ name = '' }) => [{ resource: LEASE_RESOURCE, by: 'own watch', name: dbSyncLease('', name).name }],
  make(dependency, options, effects) {
    const { name } = dbSyncLease('', dependency.name ?? '');
    const { release } = dependency;
    // The Lease's release annotation names the release of the last phase, not the release whose code may start.
    const waiter = objectWaiter({ ...dependency, name, release: undefined }, options, effects, {
      resource: {
        group: 'coordination.k8s.io',
        version: 'v1',
        resource: 'leases',
        kind: `Lease ${name}`,
        namespaced: true,
      },
      shape: PLAIN,
      judge: (lease) => judgeRecord(lease, release),
      ofMany: 'all',
      metadataOnly: true,
      isAlone: true,
      kubectlKind: 'lease',
    });
    return {
      hint: () => waiter.hint(),
      async wait(report, signal) {
        await refuseOwnMigration(dependency, options.self, effects, signal);
        return await waiter.wait(report, signal);
      },
    };
  },
};

interface RecordQuestion {
  readonly namespace: string;
  /** The name of the migration. */
  readonly name: string;
  /** The release; undefined for any release. */
  readonly release: string | undefined;
  /** The Job whose absence only a watch without events suggests; undefined if it is certain. */
  readonly job: ObjectRef | undefined;
}

/** Judges a migration's record for a wait. */
export function judgeRecord(lease: KubeObject, wanted: string | undefined): Verdict {
  const { isReady, says } = readinessIn(dbSyncRecord(lease), wanted);
  return isReady ? met(says) : pending(says);
}

/**
 * The verdict of a migration's Lease, used instead of a missing Job. The Lease is read once, because a Job created
 * later is observed directly. Undefined if the schema is not ready, the Lease is not readable, or the Job exists, because
 * its watch is only slow: then the wait for the Job continues.
 */
export async function recordOf(
  { kube, warn }: Effects,
  { namespace, name, release, job }: RecordQuestion,
  signal: AbortSignal,
): Promise<Verdict | undefined> {
  const client = await kube();
  const ref = dbSyncLease(namespace, name);
  try {
    const lease = await read(client, objectPath(ref), signal);
    if (lease === undefined) return undefined;
    const { is, state } = judgeRecord(shaped(PLAIN, lease) as KubeObject, release);
    if (is !== 'met' || (job !== undefined && (await exists(client, job, warn, signal)))) return undefined;
    return met(`the Job is gone; Lease ${ref.name} reports ${state}`);
  } catch (error) {
    signal.throwIfAborted();
    if (isDenied(error)) return undefined;
    warn(`cannot read Lease ${ref.name}, which replaces a Job that is gone: ${messageOf(error)}`);
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
    return (await read(client, objectPath(job), signal)) !== undefined;
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

/** The object's metadata; undefined if it is missing. Rejects at once if it may not be read. */
async function read(client: KubeClient, path: string, signal: AbortSignal): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.get<unknown>(path, { signal, metadataOnly: true });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ApiError && error.status === 404) return undefined;
      if (attempt === TRIES || isDenied(error)) throw error;
      await pause(backoffMs(attempt, BACKOFF), signal);
    }
  }
}

function isDenied(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403;
}
