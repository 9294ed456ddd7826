import { DB_SYNC_ANNOTATIONS, dbSyncRecord } from '../../kube/db-sync-lease.ts';
import type { KubeObject, ObjectRef } from '../../kube/types.ts';
import { FORMAT, formatProblem } from '../../core/format.ts';
import type { FenceState } from '../lock/fence.ts';

/** A Lease of coordination.k8s.io/v1, as far as we read it. Other fields are written back unchanged. */
export interface LeaseObject extends KubeObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

/** State of a migration as published on its Lease. */
export interface News {
  readonly state: FenceState;
  readonly phase: string;
  readonly release: string;
  readonly token: number;
  /** Whether this phase, once done, allows the release's code to start. */
  readonly isLastBeforeRollout: boolean;
}

/** '' without a holder. */
export function holderIn(lease: LeaseObject | undefined): string {
  return lease?.spec?.holderIdentity ?? '';
}

export function transitionsIn(lease: LeaseObject): number {
  return lease.spec?.leaseTransitions ?? 0;
}

/** Changes whenever its holder renews it, and not when other clients change its metadata. */
export function sightOf({ spec = {} }: LeaseObject): string {
  const { holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions } = spec;
  return [holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions].join(' ');
}

/** A Lease that does not exist yet. */
export function emptyLease({ group, version, namespace, name }: ObjectRef): LeaseObject {
  return { apiVersion: `${group}/${version}`, kind: 'Lease', metadata: { name, namespace } } as LeaseObject;
}

/** An int32. */
const MOST_TRANSITIONS = 2 ** 31 - 1;
/** The API server rejects years of five digits. Manual edits can contain anything. */
const LATEST = Date.UTC(9999, 0);

/** The same Lease, held by `holder`. Each take is counted, even of a free Lease. */
export function taken(lease: LeaseObject, holder: string, leaseMs: number, now: Date): LeaseObject {
  const time = later(lease.spec?.renewTime, now);
  return {
    ...lease,
    spec: {
      ...lease.spec,
      holderIdentity: holder,
      leaseDurationSeconds: Math.ceil(leaseMs / 1000),
      acquireTime: time,
      renewTime: time,
      // The row's token keeps growing.
      leaseTransitions: transitionsIn(lease) < MOST_TRANSITIONS ? transitionsIn(lease) + 1 : 1,
    },
  };
}

/** The same Lease, changed to show that its holder is alive. */
export function renewed(lease: LeaseObject, now: Date): LeaseObject {
  return { ...lease, spec: { ...lease.spec, renewTime: later(lease.spec?.renewTime, now) } };
}

/** The same Lease, without a holder. */
export function released(lease: LeaseObject, now: Date): LeaseObject {
  const { holderIdentity: _, ...spec } = renewed(lease, now).spec ?? {};
  return { ...lease, spec };
}

/** The same Lease with these annotations. */
export function withNews(lease: LeaseObject, news: News, now: Date): LeaseObject {
  const { state, phase, release, readyFor, token, ended, format } = DB_SYNC_ANNOTATIONS;
  const annotations: Record<string, string> = { ...lease.metadata.annotations };
  const put = (key: string, value: string | undefined) => {
    if (value === undefined) delete annotations[key];
    else annotations[key] = value;
  };
  put(format, String(FORMAT));
  put(state, news.state);
  put(phase, news.phase);
  put(release, news.release === '' ? undefined : news.release);
  put(token, String(news.token));
  put(ended, news.state === 'running' ? undefined : now.toISOString());
  // During a full migration no code may start; phases that run alongside a live service keep the annotation.
  if (news.state === 'running' && news.phase === 'all') put(readyFor, undefined);
  if (news.state === 'done' && news.isLastBeforeRollout) put(readyFor, news.release);
  return { ...lease, metadata: { ...lease.metadata, annotations } };
}

/** Whether the Lease already says that this is done. */
export function saysSo(lease: LeaseObject | undefined, news: Omit<News, 'token'>): boolean {
  if (lease === undefined) return false;
  const { state, phase, release = '', readyFor, format } = dbSyncRecord(lease);
  if (formatProblem(format) !== undefined) return false;
  const isReady = !news.isLastBeforeRollout || readyFor === news.release;
  return state === news.state && phase === news.phase && release === news.release && isReady;
}

/** Always later than before, even if the clock was set back: an unchanged value would not be a renewal. */
function later(before: string | undefined, now: Date): string {
  const last = before === undefined ? Number.NaN : Date.parse(before);
  const time = Number.isNaN(last) || last > LATEST ? now : new Date(Math.max(now.getTime(), last + 1));
  // MicroTime has six digits.
  return time.toISOString().replace('Z', '000Z');
}
