/** The kubelet's probes in their order. */
export const ROLES = ['startup', 'liveness', 'readiness'] as const;
export type Role = (typeof ROLES)[number];

/**
 * `unknown`: there is no verdict yet. `unseen`: the state cannot be determined, because the object is not visible from
 * this container or there was no verdict for several periods; this counts as unhealthy.
 */
export type State = 'unknown' | 'healthy' | 'unhealthy' | 'unseen';

/** A part of this Pod with a health state: a check, or a component of the sidecar. */
export interface Part {
  readonly name: string;
  /** The probes that depend on the part. */
  readonly roles: readonly Role[];
  readonly state: State;
  /** Why the part is not healthy, or what was observed if it is healthy. It contains no secret. */
  readonly reason?: string | undefined;
  /** When the current state began, in milliseconds as in Date. */
  readonly since: number;
}

/** The result of a probe as one word, without details. */
export interface RoleHealth {
  readonly isOk: boolean;
  readonly word: 'ok' | 'waiting' | 'unhealthy';
}

/**
 * Combines the parts' states for one probe. Failing liveness restarts the container, so only a part known to be
 * unhealthy fails it; the other probes wait for the first verdict of each part.
 */
export function healthOf(role: Role, parts: readonly Part[]): RoleHealth {
  const states = parts.filter(({ roles }) => roles.includes(role)).map(({ state }) => state);
  if (states.some((state) => state === 'unhealthy' || state === 'unseen')) return { isOk: false, word: 'unhealthy' };
  if (role !== 'liveness' && states.includes('unknown')) return { isOk: false, word: 'waiting' };
  return { isOk: true, word: 'ok' };
}
