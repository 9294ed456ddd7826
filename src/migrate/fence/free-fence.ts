import { formatDuration } from '../../core/duration.ts';
import { DeadlineError } from '../../core/errors.ts';
import { pause } from '../../core/backoff.ts';
import type { FenceRow } from './fence.ts';

/** Polling interval, since Galera has no notification for a changed row. */
const POLL_MS = 1000;
/** A lease of only a few seconds is polled more often. */
const LOOKS_PER_LEASE = 8;

/** Measures how long a fence has not been renewed. It uses our own clock and never the times stored in the fence. */
export interface LeaseObserver {
  readonly leaseMs: number;
  /** Milliseconds since the row was first seen in its current state. */
  unchangedMs(row: FenceRow): number;
}

export function leaseObserver(leaseMs: number, now: () => number = () => performance.now()): LeaseObserver {
  let first: { readonly sight: string; readonly at: number } | undefined;
  return {
    leaseMs,
    unchangedMs({ token, renewed }) {
      const sight = `${token} ${renewed}`;
      if (first?.sight !== sight) first = { sight, at: now() };
      return now() - first.at;
    },
  };
}

interface FreeOptions {
  /** Deadline in terms of performance.now(). */
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/**
 * Whether the fence can be taken: no migrator runs under it, or its holder has not renewed it for a whole lease.
 * Otherwise it logs the holder, waits a little and returns false, and the caller must read the fence again.
 * @throws DeadlineError naming the holder; the signal's reason
 */
export async function freeFence(row: FenceRow, observer: LeaseObserver, options: FreeOptions): Promise<boolean> {
  const unchangedMs = observer.unchangedMs(row);
  if (row.state !== 'running' || unchangedMs >= observer.leaseMs) return true;
  const { deadline, signal, say } = options;
  const holder = holderOf(row);
  const leftMs = deadline - performance.now();
  if (leftMs <= 0)
    throw new DeadlineError(`waited for another migration of this database until the deadline: ${holder}`);
  say(`waiting: ${holder}; free when not renewed for ${formatDuration(observer.leaseMs)}`);
  await pause(Math.min(POLL_MS, observer.leaseMs / LOOKS_PER_LEASE, leftMs), signal);
  return false;
}

/** The holder of the fence, as shown in messages. */
export function holderOf(row: FenceRow | undefined): string {
  if (row?.state !== 'running') return 'another migrator has just taken the lock';
  const release = row.release === '' ? '' : ` of release ${row.release}`;
  return `${row.holder} has been migrating ${row.service}${release} (${row.phase}) since ${row.started} UTC, token ${row.token}`;
}
