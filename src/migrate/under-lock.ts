import { ChildError, ExitCode, KollaError, messageOf, UnavailableError } from '../core/errors.ts';
import type { HeldLease } from './lease/index.ts';
import { inTurn } from './in-turn.ts';
import { takeTurn } from './turn/turn.ts';
import type { Effects, LockedWork } from './plan/plan.ts';
import { conclude } from './conclude.ts';
import type { Ran } from './steps/run-steps.ts';
import { ensureTool, type Task } from './tool/index.ts';
import { explainErrors, explain } from './explain.ts';

/** What work other than a migration receives while it holds the lock. */
export interface Locked {
  /** Aborted on shutdown, and when the lock is or may be lost. The reason is the error with its cause. */
  readonly signal: AbortSignal;
  readonly token: number;
  /**
   * Runs the pending tasks of the service's own tool.
   * @returns the number of tasks done
   * @throws ChildError; UnavailableError if the lock was lost; what ensureTool() throws
   */
  runTool(tasks: readonly Task[]): Promise<number>;
}

/**
 * Runs work other than a migration under the same lock (Lease, GET_LOCK, fence row), so that no migrator or other such
 * work runs meanwhile. It is recorded under its own phase. Nothing is published on the Lease, which says for which
 * release the schema is ready.
 * @param migration of the same service, whose database exists
 * @param phase the name of the work in fence and record; at most 32 characters
 * @throws what takeTurn() and the work throw; UnavailableError if the lock was lost
 */
export async function underLock(
  migration: LockedWork,
  phase: string,
  asked: Effects,
  work: (locked: Locked) => Promise<void>,
): Promise<void> {
  const plan = planOf(migration, phase);
  const turn = await takeTurn(plan, asked);
  await using _ = turn.session;
  await using lease = turn.lease;
  if ('finished' in turn) throw new Error("our own work was mistaken for another migrator's");
  const { token, claim } = turn;
  const effects = { ...asked, log: asked.log.with({ token }) };
  let thrown: { readonly error: unknown } | undefined;
  try {
    await inTurn(
      plan,
      turn,
      effects,
      async (begun, held) => {
        let last: Ran | undefined;
        const runTool = async (tasks: readonly Task[]): Promise<number> => {
          const own = { ...effects, redact: begun.redact };
          const run = () => ensureTool(tasks, { ...plan, childEnv: begun.childEnv }, held, claim, own);
          const ran = await explainErrors(plan, run, 'prepare');
          throwUnlessDone((last = ran), effects);
          return ran.changes;
        };
        try {
          await work({ token, signal: AbortSignal.any([held.lost, effects.signal]), runTool });
          return { outcome: { state: 'ended', code: 0 }, program: '', meaning: undefined, output: '' };
        } catch (error) {
          thrown = { error };
          const output = last?.output || effects.redact(messageOf(error));
          const how = { program: last?.program ?? '', meaning: last?.meaning, output };
          // After a command was killed, its statements may continue in the server.
          if (last !== undefined && last.outcome.state !== 'ended') return { ...how, outcome: last.outcome };
          const code = error instanceof KollaError ? error.exitCode : ExitCode.bug;
          if (held.lost.aborted) return { ...how, outcome: { state: 'lost', code, why: messageOf(held.lost.reason) } };
          return { ...how, outcome: { state: effects.signal.aborted ? 'interrupted' : 'ended', code } };
        }
      },
      (held, ran) =>
        conclude(plan, { claim, lease: lease === undefined ? undefined : silent(lease) }, held, ran, effects),
    );
  } catch (error) {
    if (thrown === undefined) throw explain(plan, error, 'prepare');
    throw thrown.error;
  }
}

function throwUnlessDone({ outcome, program, meaning, lastLine, error }: Ran, { signal }: Effects): void {
  if (error !== undefined) throw error;
  if (outcome.state === 'lost') throw new UnavailableError(`${program} was stopped while it ran: ${outcome.why}`);
  if (outcome.state === 'interrupted') throw signal.reason;
  if (outcome.code === 0) return;
  const why = meaning === undefined ? '' : `: ${meaning}`;
  throw new ChildError(outcome.code, `${program} exited with code ${outcome.code}${why}`, lastLine);
}

/** The command runs as the service's own account, because a URL that a tool stores must stay valid. */
function planOf(migration: LockedWork, phase: string): LockedWork {
  return {
    ...migration,
    phase,
    steps: [],
    check: undefined,
    versions: undefined,
    injectsAccount: false,
    isAlwaysDone: true,
  };
}

/** The same Lease, released without publishing anything. */
function silent(lease: HeldLease): Pick<HeldLease, 'end'> {
  return { end: (_news, withinMs) => lease.end(undefined, withinMs) };
}
