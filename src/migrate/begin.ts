import { ExitCode, KollaError, UnavailableError } from '../core/errors.ts';
import { reasonOf } from '../mysql/index.ts';
import { longAfter, unlessAborted } from '../core/abort.ts';
import { redactor, type Redact } from '../core/redact.ts';
import { beginOwn, endOwn, fencePredecessor } from './fencing/index.ts';
import { closeFence } from './fence/fence.ts';
import type { Databases, Effects, LockTerms, Tool } from './plan/plan.ts';
import { openRecord, readRecords } from './record/record.ts';
import { requireWayBack } from './turn/way-back.ts';
import type { LockedSession, Ran } from './steps/run-steps.ts';
import { isOverAfter } from './child/supervise.ts';
import type { Turn } from './turn/turn.ts';

type Before = Databases & Tool & LockTerms;

/** The state when everything before the first step is done. */
export interface Begun {
  /** The tool's environment, with the account that was created for its steps. */
  readonly childEnv: Tool['childEnv'];
  readonly redact: Redact;
  /**
   * Called after the end was recorded: drops the account and ends its sessions. Never throws: after a failure, the next
   * run does the same.
   */
  end(ran: Ran): Promise<void>;
}

/** Maximum time for the final statements after a stop. It must be within a Pod's termination grace period. */
const SHUTDOWN_MS = 4000;
/** The same after a migration that was not interrupted. */
const CLEANUP_MS = 30_000;

/**
 * Ensures that the previous migration can no longer write, records the start of ours, and creates its account. If this
 * fails, the fence is released if it is ours, because nothing was started.
 */
export async function begin(plan: Before, turn: Turn, held: LockedSession, effects: Effects): Promise<Begun> {
  const { session, token } = held;
  const signal = AbortSignal.any([effects.signal, held.lost]);
  const progress = { isOver: false };
  // A server that does not respond must not delay our exit.
  const late = longAfter(signal, SHUTDOWN_MS);
  try {
    return await unlessAborted(prepare(plan, turn, held, effects, progress), late);
  } catch (error) {
    if (late.aborted) {
      session.destroy();
      throw error;
    }
    const state = effects.signal.aborted ? 'interrupted' : 'failed';
    const exitCode = error instanceof KollaError ? error.exitCode : ExitCode.bug;
    await closeFence(session, token, { state, exitCode, ...progress }, SHUTDOWN_MS).catch((failed: unknown) => {
      effects.log.warn(`cannot release the lock: ${reasonOf(failed)}`);
    });
    throw error;
  }
}

async function prepare(
  plan: Before,
  turn: Turn,
  held: LockedSession,
  effects: Effects,
  progress: { isOver: boolean },
): Promise<Begun> {
  const { session, token } = held;
  const { claim } = turn;
  const guarded = { ...effects, signal: AbortSignal.any([effects.signal, held.lost]) };
  const kept = await fencePredecessor(plan, session, turn, guarded);
  progress.isOver = true;
  // Again under the lock: a newer release may have contracted the schema while we waited.
  requireWayBack(await readRecords(session), { ...plan, ...claim });
  if (!(await openRecord(session, claim, token))) {
    throw new UnavailableError('another migrator with a later token has started the same: nothing was started here');
  }
  guarded.signal.throwIfAborted();
  const own = await beginOwn(plan, held, kept, guarded);
  guarded.signal.throwIfAborted();
  if (own === undefined) return { childEnv: plan.childEnv, redact: guarded.redact, end: async () => {} };
  const urls = Object.values(plan.childEnv(session.at, own)).filter((value) => value?.includes(own.password));
  const hide = redactor([...urls, own.password]);
  return {
    childEnv: (at) => plan.childEnv(at, own),
    redact: (text) => hide(guarded.redact(text)),
    async end({ outcome }) {
      // The next run fences this migration, or has already done so.
      if (outcome.state === 'lost') return;
      const timeoutMs = outcome.state === 'ended' ? CLEANUP_MS : SHUTDOWN_MS;
      const { signal, log } = effects;
      const options = { timeoutMs, isOver: isOverAfter(outcome), signal: longAfter(signal, SHUTDOWN_MS), log };
      await endOwn(plan, held, [...kept, own.user], options);
    },
  };
}
