import { formatDuration } from '../../core/duration.ts';
import type { Log } from '../../core/log.ts';
import { dbSyncRecord } from '../../kube/db-sync-lease.ts';
import { durationMsOf } from './free-lease.ts';
import { holderIn, type LeaseObject } from './object.ts';
import { placeOfLease, type LeaseSite } from './site.ts';

interface WhileHeldOptions {
  /** Deadline in terms of performance.now(). */
  readonly deadline: number;
  readonly leaseMs: number;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly freeInMs: (lease: LeaseObject) => number;
  readonly say: (text: string) => void;
}

/**
 * Watches a held Lease until it may be free: released, deleted, or not renewed for its duration; or until the deadline.
 * Does not poll. The caller must read the state again before using it.
 * @returns the last holder; undefined if there is none any more
 * @throws the signal's reason; NotPermittedError if it can be neither watched nor read
 */
export async function whileHeld(
  site: LeaseSite,
  first: LeaseObject,
  options: WhileHeldOptions,
): Promise<string | undefined> {
  const { deadline, leaseMs, log, signal, freeInMs, say } = options;
  const { client, ref } = site;
  const wake = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let text = '';
  const look = (lease: LeaseObject): boolean => {
    const leftMs = freeInMs(lease);
    text = holderText(site, lease);
    if (leftMs <= 0) return false;
    say(`waiting: ${text}; free when not renewed for ${formatDuration(durationMsOf(lease, leaseMs))}`);
    clearTimeout(timer);
    timer = setTimeout(() => wake.abort(), Math.max(1, Math.min(leftMs, deadline - performance.now())));
    return true;
  };
  try {
    if (!look(first)) return text;
    const watching = { signal: AbortSignal.any([signal, wake.signal]), warn: (message: string) => log.warn(message) };
    for await (const seen of client.watch<LeaseObject>(ref, watching)) {
      if (seen.kind === 'deleted' || seen.kind === 'absent') return undefined;
      if (seen.kind === 'trouble') say(`waiting for the API server at ${client.server}: ${seen.reason}; ${text}`);
      if (seen.kind === 'object' && !look(seen.object)) return text;
    }
    return text;
  } catch (error) {
    signal.throwIfAborted();
    if (!wake.signal.aborted) throw error;
    return text;
  } finally {
    clearTimeout(timer);
  }
}

/** The holder's name in messages. */
export function holderText(site: LeaseSite, lease: LeaseObject): string {
  const holder = holderIn(lease);
  if (holder === '') return `${placeOfLease(site)} is free`;
  const { state, phase, release = '' } = dbSyncRecord(lease);
  const since = `since ${lease.spec?.acquireTime?.replace(/\.\d+Z$/, 'Z')}`;
  if (state !== 'running') return `${holder} has ${placeOfLease(site)} ${since}`;
  return `${holder} has been migrating${release === '' ? '' : ` to release ${release}`} (${phase}) ${since}, ${placeOfLease(site)}`;
}
