import { contractedAfter, contractedIn, DB_SYNC_ANNOTATIONS, dbSyncRecord } from '../../kube/db-sync-lease.ts';
import type { KubeObject, ObjectRef } from '../../kube/types.ts';
import { FORMAT, formatProblem } from '../../core/format.ts';
import type { FenceState } from '../fence/fence.ts';

/** The fields of a Lease (coordination.k8s.io/v1) that are read here. Other fields are written back unchanged. */
export interface LeaseObject extends KubeObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

/** The state of a migration, as published on its Lease. */
export interface News {
  readonly state: FenceState;
  readonly phase: string;
  readonly release: string;
  readonly token: number;
  /** Whether this phase, when done, allows the release's code to start. */
  readonly isLastBeforeRollout: boolean;
  /** Whether this phase removes what an older release needs. */
  readonly isOneWay: boolean;
}

/** The holder; '' if there is none. */
export function holderIn(lease: LeaseObject | undefined): string {
  return lease?.spec?.holderIdentity ?? '';
}

export function transitionsIn(lease: LeaseObject): number {
  return lease.spec?.leaseTransitions ?? 0;
}

/** A value that changes whenever the holder renews the Lease, but not when other clients change its metadata. */
export function sightOf({ spec = {} }: LeaseObject): string {
  const { holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions } = spec;
  return [holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions].join(' ');
}

/** A Lease that is yet to be created. */
export function emptyLease({ group, version, namespace, name }: ObjectRef): LeaseObject {
  return { apiVersion: `${group}/${version}`, kind: 'Lease', metadata: { name, namespace } } as LeaseObject;
}

/** Maximum value of an int32. */
const MOST_TRANSITIONS = 2 ** 31 - 1;
/** The API server rejects years with five digits. Manual edits may contain anything. */
const LATEST = Date.UTC(9999, 0);

/** The same Lease with `holder` as its holder. Each take is counted, even of a free Lease. */
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
      // The counter may start again, because the token of the row keeps growing.
      leaseTransitions: transitionsIn(lease) < MOST_TRANSITIONS ? transitionsIn(lease) + 1 : 1,
    },
  };
}

/** The same Lease with a change that shows that its holder is alive. */
export function renewed(lease: LeaseObject, now: Date): LeaseObject {
  return { ...lease, spec: { ...lease.spec, renewTime: later(lease.spec?.renewTime, now) } };
}

/** The same Lease without a holder. */
export function released(lease: LeaseObject, now: Date): LeaseObject {
  const { holderIdentity: _, ...spec } = renewed(lease, now).spec ?? {};
  return { ...lease, spec };
}

/** The same Lease with these annotations. */
export function withNews(lease: LeaseObject, news: News, now: Date): LeaseObject {
  const { state, phase, release, readyFor, contracted, token, ended, format } = DB_SYNC_ANNOTATIONS;
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
  // During a full migration no code may start. Phases that run alongside a live service keep the annotation.
  if (news.state === 'running' && news.phase === 'all') put(readyFor, undefined);
  if (news.state === 'done' && news.isLastBeforeRollout) put(readyFor, news.release);
  put(contracted, contractedAfter(contractedIn(dbSyncRecord(lease)), news));
  return { ...lease, metadata: { ...lease.metadata, annotations } };
}

/** Whether the Lease already states `news`. */
export function saysSo(lease: LeaseObject | undefined, news: Omit<News, 'token'>): boolean {
  if (lease === undefined) return false;
  const { state, phase, release = '', readyFor, format } = dbSyncRecord(lease);
  if (formatProblem(format) !== undefined) return false;
  const isReady = !news.isLastBeforeRollout || readyFor === news.release;
  return state === news.state && phase === news.phase && release === news.release && isReady;
}

/**
 * The new time is always later than the previous one, even if the clock was set back, because an unchanged value would
 * not be a renewal.
 */
function later(before: string | undefined, now: Date): string {
  const last = before === undefined ? Number.NaN : Date.parse(before);
  const time = Number.isNaN(last) || last > LATEST ? now : new Date(Math.max(now.getTime(), last + 1));
  // A MicroTime has six fractional digits.
  return time.toISOString().replace('Z', '000Z');
}
