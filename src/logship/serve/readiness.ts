import { formatDuration } from '../../core/duration.ts';
import type { DestinationState } from './view.ts';

export interface Readiness {
  readonly isReady: boolean;
  /** May name hosts. */
  readonly reason: string;
}

/** What passes by itself should not take a pod out of service: a server that begins anew, a moment's overload. */
export const OUTAGE_MS = 5000;
/** A server may be slow. */
export const QUIET_MS = 60_000;

/**
 * Whether a destination takes what is there.
 * @param quietMs for how long it has settled nothing while lines wait for it
 * @param nowMs since the epoch
 */
export function readinessOf(
  { outage, lagBytes, lagSeconds, waiting }: DestinationState,
  quietMs: number,
  nowMs: number,
): Readiness {
  const behind = `${lagBytes} bytes are not acknowledged, the oldest for ${formatDuration(Math.round(lagSeconds) * 1000)}`;
  const state = lagBytes === 0 ? 'all is acknowledged' : behind;
  // A clock that was set back must not hide it.
  if (outage !== undefined && Math.abs(nowMs - outage.sinceMs) >= OUTAGE_MS)
    return { isReady: false, reason: `takes nothing: ${outage.reason}; ${state}` };
  if (quietMs >= QUIET_MS)
    return { isReady: false, reason: `has acknowledged nothing for ${formatDuration(quietMs)}; ${state}` };
  const apart = waiting === 0 ? '' : `; ${waiting} documents wait that it does not take now`;
  return { isReady: true, reason: state + apart };
}
