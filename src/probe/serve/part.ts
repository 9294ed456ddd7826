/** The probes of the kubelet, in the order in which it asks them. */
export const ROLES = ['startup', 'liveness', 'readiness'] as const;
export type Role = (typeof ROLES)[number];

/**
 * unknown: no verdict yet. unseen: it cannot be determined, from here or any more: what is asked about can't be seen from this
 * container, or there was no verdict for several periods. It counts as unhealthy.
 */
export type State = 'unknown' | 'healthy' | 'unhealthy' | 'unseen';

/** Something in this pod that is well or not: a check, or a role of the sidecar. */
export interface Part {
  readonly name: string;
  /** The probes that it decides. */
  readonly roles: readonly Role[];
  readonly state: State;
  /** Why it is not healthy; of a healthy one what was seen, if anything. No secret. */
  readonly reason?: string | undefined;
  /** Since when it is in this state, in milliseconds of Date. */
  readonly since: number;
}

/** What a probe is told: a word, which says nothing of what lies behind it. */
export interface RoleHealth {
  readonly isOk: boolean;
  readonly word: 'ok' | 'waiting' | 'unhealthy';
}

/**
 * What the parts say together to one probe. A liveness probe restarts what it holds for dead, so only what is known to be
 * unhealthy fails it; the others wait for the first verdict of each part.
 */
export function healthOf(role: Role, parts: readonly Part[]): RoleHealth {
  const states = parts.filter(({ roles }) => roles.includes(role)).map(({ state }) => state);
  if (states.some((state) => state === 'unhealthy' || state === 'unseen')) return { isOk: false, word: 'unhealthy' };
  if (role !== 'liveness' && states.includes('unknown')) return { isOk: false, word: 'waiting' };
  return { isOk: true, word: 'ok' };
}
