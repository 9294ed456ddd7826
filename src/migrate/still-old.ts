import { ExitCode, KollaError, messageOf } from '../core/errors.ts';
import type { Effects } from './plan/plan.ts';
import type { LockedSession, Ran } from './steps/run-steps.ts';
import type { RolloutGate } from './rollout/index.ts';

/**
 * The final check before the steps, with the lock held: a rollback may have started during the wait. Undefined if
 * nothing of an older release is left; else the result of a run in which no step was started.
 */
export async function stillOld(
  rollout: RolloutGate | undefined,
  { lost }: LockedSession,
  { signal, log }: Effects,
): Promise<Ran | undefined> {
  if (rollout === undefined) return undefined;
  const ran = { program: 'the last check of the rollout', meaning: undefined, output: '' };
  try {
    const left = await rollout.look({ signal: AbortSignal.any([signal, lost]), log });
    if (left === undefined) return undefined;
    const meaning = `replicas of an older release exist again: ${left}; nothing was run`;
    return { ...ran, outcome: { state: 'ended', code: ExitCode.unavailable }, meaning, output: meaning };
  } catch (error) {
    if (signal.aborted) return { ...ran, outcome: { state: 'interrupted', code: 0 } };
    if (lost.aborted) return { ...ran, outcome: { state: 'lost', code: 0, why: messageOf(lost.reason) } };
    if (!(error instanceof KollaError)) throw error;
    const meaning = `${error.message}; nothing was run`;
    return { ...ran, outcome: { state: 'ended', code: error.exitCode }, meaning, output: meaning };
  }
}
