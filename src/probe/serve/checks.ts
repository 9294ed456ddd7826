import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { ResidentCheck, type Change, type CheckStatus, type Timing } from './resident-check.ts';
import type { PreparedCheck } from './prepare.ts';

export type { Change, CheckStatus, Timing } from './resident-check.ts';

/** Checks that are asked all the time, until they are disposed of. */
export interface Checks extends AsyncDisposable {
  /** What is known now, in the order of kolla-pod.yaml. Costs nothing: no check is asked for it. */
  snapshot(): readonly CheckStatus[];
  /** Is told of each verdict that changes; disposed of, no more. */
  onChange(listener: (change: Change) => void): Disposable;
}

const REAL: Timing = { now: () => performance.now(), random: Math.random };

/**
 * Asks each check once a period from now on, each in a round of its own, so that one which hangs stops no other.
 * @param checks from prepareChecks()
 * @param surroundings its signal ends the rounds, as disposing does
 */
export function startChecks(
  checks: readonly PreparedCheck[],
  { signal, log }: { readonly signal: AbortSignal; readonly log: Log },
  timing: Timing = REAL,
): Checks {
  const stop = new AbortController();
  const until = AbortSignal.any([signal, stop.signal]);
  const listeners = new Set<(change: Change) => void>();
  const tell = (change: Change) => {
    for (const listener of listeners) listener(change);
  };
  const resident = checks.map((check) => new ResidentCheck(check, log, timing, tell));
  const rounds = resident.map(async (check) => {
    try {
      await check.run(until);
    } catch (error) {
      if (!until.aborted) log.error(`our bug, please report it: ${messageOf(error)}`);
    }
  });
  return {
    snapshot: () => resident.map((check) => check.status()),
    onChange(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the checks are over'));
      await Promise.all(rounds);
    },
  };
}
