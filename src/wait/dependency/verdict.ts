import type { KubeObject } from '../../kube/types.ts';
import { oneLine } from '../../core/one-line.ts';

/** The verdict on an object's state. */
export interface WaitState {
  /**
   * `failed`: the object can never become ready by itself. `refused`: nor can another one in its place. `skipped`: it
   * does not count (because it is suspended, being deleted, or of another release), so that other objects of the set
   * decide.
   */
  readonly is: 'met' | 'pending' | 'failed' | 'refused' | 'skipped';
  /** The state for users: `1 of 3 available`. */
  readonly state: string;
}

export type Judge<T extends KubeObject> = (object: T) => WaitState;

export function met(state: string): WaitState {
  return { is: 'met', state };
}

export function pending(state: string): WaitState {
  return { is: 'pending', state };
}

export function failed(state: string): WaitState {
  return { is: 'failed', state: oneLine(state) };
}

/** @param state with the fix */
export function refused(state: string): WaitState {
  return { is: 'refused', state: oneLine(state) };
}

export function skipped(state: string): WaitState {
  return { is: 'skipped', state };
}

/**
 * Combines the verdicts on a set's members: all that count must be met, or one of them. An empty set is never met.
 * @param judged the name and the verdict of each member
 */
export function together(judged: readonly (readonly [string, WaitState])[], ofMany: 'all' | 'any'): WaitState {
  const counting = judged.filter(([, verdict]) => verdict.is !== 'skipped');
  const isMet = counting.filter(([, verdict]) => verdict.is === 'met');
  const hopeless = counting.find(([, verdict]) => verdict.is === 'failed');
  const [first] = isMet;
  if (ofMany === 'any' && first !== undefined) return met(`${first[0]}: ${first[1].state}`);
  if (hopeless !== undefined && ofMany === 'all') return failed(`${hopeless[0]} ${hopeless[1].state}`);
  if (counting.length > 0 && isMet.length === counting.length) return met(`${isMet.length} of ${isMet.length}`);
  const open = (counting.length === 0 ? judged : counting).find(([, verdict]) => verdict.is !== 'met');
  const why = open === undefined ? '' : `; ${open[0]}: ${open[1].state}`;
  if (counting.length === 0) return pending(`none of ${judged.length} counts${why}`);
  return pending(`${isMet.length} of ${counting.length}${why}`);
}
