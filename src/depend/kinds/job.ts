import { UnavailableError } from '../../cli/errors.ts';
import type { KubeObject, ObjectRef, Observation } from '../../platform/kube/types.ts';
import type { MakeWaiter } from '../waiter.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** The parts of a batch/v1 Job that decide. */
export interface Job extends KubeObject {
  readonly spec?: { readonly backoffLimit?: number; readonly suspend?: boolean };
  readonly status?: {
    readonly active?: number;
    readonly failed?: number;
    readonly conditions?: readonly Condition[];
  };
}

export type JobVerdict = { readonly is: 'complete' | 'failed' | 'pending'; readonly state: string };

/** What a Job's status means for who waits for it. */
export function judge({ metadata, spec, status = {} }: Job): JobVerdict {
  const conditions = (status.conditions ?? []).filter((condition) => condition.status === 'True');
  const condition = (type: string) => conditions.find((found) => found.type === type);
  // Not status.succeeded: with several completions that is true after the first.
  if (condition('Complete')) return { is: 'complete', state: 'Complete' };
  const failure = condition('Failed');
  if (failure) return { is: 'failed', state: `failed: ${reasonOf(failure)}` };
  const failing = condition('FailureTarget');
  if (failing) return { is: 'pending', state: `failing: ${reasonOf(failing)}` };
  if (condition('SuccessCriteriaMet')) return { is: 'pending', state: 'succeeded, its Pods are ending' };
  if (metadata.deletionTimestamp !== undefined) return { is: 'pending', state: 'being deleted' };
  if (spec?.suspend === true) return { is: 'pending', state: 'suspended' };
  const failed = status.failed ?? 0;
  const attempts = failed === 0 ? '' : `, ${failed} failed of at most ${(spec?.backoffLimit ?? 6) + 1}`;
  return { is: 'pending', state: `${status.active ?? 0} active${attempts}` };
}

function reasonOf({ reason, message }: Condition): string {
  return [reason, message].filter((part) => part !== undefined && part !== '').join(': ') || 'no reason given';
}

/** Waits until a Job is Complete. One that failed ends the wait at once, unless `onFailedJob` is `wait`. */
export const job: MakeWaiter<'job'> = ({ text, name, namespace }, { onFailedJob }, { kube, warn }) => {
  let ref: ObjectRef = { group: 'batch', version: 'v1', resource: 'jobs', namespace: namespace ?? '', name };
  const kubectl = (words: string) =>
    `kubectl${ref.namespace === '' ? '' : ` -n ${ref.namespace}`} ${words} job/${name}`;
  return {
    text,
    hint: () => kubectl('describe'),
    async wait(report, signal) {
      const client = await kube();
      ref = { ...ref, namespace: namespace ?? client.namespace };
      let state = 'not seen yet';
      for await (const observation of client.watch<Job>(ref, { signal, warn })) {
        if (observation.kind === 'trouble') {
          report(`API server: ${observation.reason}`);
          continue;
        }
        const seen = verdictOn(observation, ref.namespace);
        if (seen?.is === 'complete') return seen.state;
        if (seen?.is === 'failed' && onFailedJob === 'fail')
          throw new UnavailableError(
            `${text} ${seen.state}; nothing will mend it by itself: see ${kubectl('logs')}, then delete it and let it be made again`,
          );
        state = seen?.is === 'failed' ? `${seen.state}; waiting for another` : (seen?.state ?? state);
        report(state);
      }
      throw new Error(`the watch of ${text} ended`);
    },
  };
};

function verdictOn(observation: Observation<Job>, namespace: string): JobVerdict | undefined {
  if (observation.kind === 'object') return judge(observation.object);
  if (observation.kind === 'absent') return { is: 'pending', state: `no such Job in namespace ${namespace} yet` };
  if (observation.kind !== 'deleted') return undefined;
  // A Job that its TTL takes away right after its end was complete all the same.
  const last = observation.object && judge(observation.object);
  return last?.is === 'complete' ? last : { is: 'pending', state: 'deleted; waiting for another' };
}
