import { dbSyncLease, LEASE_RESOURCE } from '../../kube/db-sync-lease.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { ObjectDependency, ObjectKind } from '../dependency/dependency.ts';
import { objectWaiter } from '../dependency/objects.ts';
import { recordOf, refusalIn } from './record.ts';
import { CONDITION, fields, FLAG, listOfFields, NUMBER, objectOf } from '../shape/shape.ts';
import { whyGone, whyUnfinished } from './job-reason.ts';
import { failed, met, skipped, pending, type WaitState } from '../dependency/verdict.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** The fields of a Job (batch/v1) that the verdict needs. */
export interface Job extends KubeObject {
  readonly spec?: {
    readonly backoffLimit?: number;
    readonly backoffLimitPerIndex?: number;
    readonly suspend?: boolean;
  };
  readonly status?: {
    readonly active?: number;
    readonly failed?: number;
    readonly conditions?: readonly Condition[];
  };
}

const SHAPE = objectOf({
  spec: fields({ backoffLimit: NUMBER, backoffLimitPerIndex: NUMBER, suspend: FLAG }),
  status: fields({ active: NUMBER, failed: NUMBER, conditions: listOfFields(CONDITION) }),
});

/** Judges a Job's status for a wait. */
export function judgeJob({ metadata, spec, status = {} }: Job): WaitState {
  const conditions = (status.conditions ?? []).filter((condition) => condition.status === 'True');
  const condition = (type: string) => conditions.find((found) => found.type === type);
  // status.succeeded is not used: with several completions it is set after the first one.
  if (condition('Complete')) return met('Complete');
  const failure = condition('Failed');
  // A Job that is being deleted may be replaced, as Helm does before a hook.
  if (failure && metadata.deletionTimestamp !== undefined)
    return skipped(`failed and being deleted: ${reasonOf(failure)}`);
  if (failure) return failed(`failed: ${reasonOf(failure)}`);
  const failing = condition('FailureTarget');
  if (failing) return pending(`failing: ${reasonOf(failing)}`);
  if (condition('SuccessCriteriaMet')) return pending('succeeded, its Pods are terminating');
  if (metadata.deletionTimestamp !== undefined) return skipped('being deleted');
  if (spec?.suspend === true) return skipped('suspended');
  const failures = status.failed ?? 0;
  // With a limit per index, backoffLimit is by default the largest number that there is.
  const { backoffLimit = 6, backoffLimitPerIndex } = spec ?? {};
  const most = backoffLimitPerIndex === undefined ? `${backoffLimit + 1}` : `${backoffLimitPerIndex + 1} per index`;
  const attempts = failures === 0 ? '' : `, ${failures} failed of at most ${most}`;
  return pending(`${status.active ?? 0} active${attempts}`);
}

function reasonOf({ reason, message }: Condition): string {
  return [reason, message].filter((part) => part !== undefined && part !== '').join(': ') || 'no reason given';
}

/**
 * The migration whose record is used if the Job no longer exists: the given one, or NAME for NAME-db-sync. Undefined
 * for other Jobs, whose migration is unknown, and for a negated wait, which needs none.
 */
function migrationOf({
  name,
  record,
  isNegated,
}: Pick<ObjectDependency, 'name' | 'record' | 'isNegated'>): string | undefined {
  if (isNegated) return undefined;
  return record ?? /^(?<migration>.+)-db-sync$/.exec(name ?? '')?.groups?.['migration'];
}

const RESOURCE = { group: 'batch', version: 'v1', resource: 'jobs', kind: 'Job', namespaced: true } as const;

export const job: ObjectKind = {
  form: 'object',
  word: 'job',
  aliases: ['jobs', 'job.batch', 'jobs.batch'],
  what: 'a Job',
  means: 'the Job is Complete; labels: all of them, and at least one',
  by: 'name or labels',
  nameRule: 'subdomain',
  hasNamespace: true,
  options: ['condition', 'jsonpath', 'release', 'db-sync'],
  canBeNegated: true,
  reads(dependency) {
    const migration = migrationOf(dependency);
    const watched = {
      resource: RESOURCE,
      by: 'watch',
      name: dependency.name,
      isConfirmed: migration !== undefined,
    } as const;
    if (migration === undefined) return [watched];
    return [watched, { resource: LEASE_RESOURCE, by: 'get', name: dbSyncLease('', migration).name }];
  },
  make(dependency, options, effects) {
    const { name: own, release } = dependency;
    const migration = migrationOf(dependency);
    const record =
      migration === undefined ? undefined : { name: migration, release, isNamed: dependency.record !== undefined };
    return objectWaiter<Job>(dependency, options, effects, {
      resource: RESOURCE,
      shape: SHAPE,
      judge: judgeJob,
      ofMany: 'all',
      ...(record && {
        // The Job may have been deleted after its TTL before we started; then the migration's Lease has its result.
        whenAbsent(namespace, state, signal) {
          const gone = own === undefined ? undefined : { ...RESOURCE, namespace, name: own };
          return recordOf(effects, { ...record, namespace }, state, gone, signal);
        },
        unlessRefused: (jobs, namespace, report, signal) =>
          refusalIn(effects, { ...record, namespace }, jobs, report, signal),
      }),
      async explain(jobs, namespace, signal) {
        const client = await effects.kube();
        if (jobs.length === 0)
          return own === undefined ? undefined : await whyGone(client, own, record !== undefined, namespace, signal);
        const open = jobs.find((each) => judgeJob(each).is === 'pending');
        return open && (await whyUnfinished(client, open, namespace, signal));
      },
      fix: (kubectl) => `it does not recover by itself: see ${kubectl('logs')}, then delete and re-create it`,
    });
  },
};
