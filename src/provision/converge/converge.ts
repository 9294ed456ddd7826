import { ConfigError, DeadlineError, UnavailableError } from '../../core/errors.ts';
import { formatDuration } from '../../core/duration.ts';
import { backoffMs, pause } from '../../core/backoff.ts';
import { lineOf, titleOf, type Part, type Planned } from './change.ts';
import type { Effects } from './effects.ts';
import { ConflictError } from './conflict.ts';

/** The members of a part that are used here. A removal passes its planRemoval as `plan`. */
type Readable = Pick<Part, 'name' | 'plan'>;

const BACKOFF = { minMs: 200, maxMs: 1000 };
/** Maximum number of reads in which our own change may be missing, since a replica may lag. */
const MAX_STALE_READS = 4;
/** Maximum number of times our changes may be reverted because another run removed an object they depend on. */
const MAX_RECREATIONS = 3;
/** Maximum number of attempts that fail with `ConflictError`. Concurrent runs settle at least one object per attempt. */
const MAX_CONFLICTS = 20;

/**
 * The differences after the state has become stable; concurrent runs may create objects and remove them again.
 * @throws the reason if it does not become stable
 */
export async function settledPlan(part: Readable, effects: Effects): Promise<readonly Planned[]> {
  for (let look = 1; ; look++) {
    try {
      return await part.plan();
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      if (look === MAX_STALE_READS) throw error.cause;
    }
    await rest(look, effects);
  }
}

/**
 * Applies a part: reads the state, shows all differences, applies them in order, and repeats until none is left.
 * Concurrent runs, lost responses and restarts therefore need no special handling.
 * @returns the number of changes
 * @throws ConfigError for missing input, before anything is changed; UnavailableError if another client reverts the
 * changes; DeadlineError; the server's denial
 */
export async function converge(part: Readable, effects: Effects): Promise<number> {
  const { log, deadline, timeoutMs } = effects;
  const done = new Set<string>();
  let [looks, remakes, tries] = [0, 0, 0];
  for (;;) {
    const changes = await settledPlan(part, effects);
    const [next] = changes;
    if (next === undefined) return done.size;
    const again = changes.find((change) => done.has(titleOf(change)));
    if (again === undefined) {
      requireAll(changes, part, effects);
      const cut = await applyAll(changes, done);
      if (cut === undefined) continue;
      if (++tries === MAX_CONFLICTS) throw cut.cause;
      log.info(`${cut.message}; reading again`, { part: part.name });
    } else if (++looks === MAX_STALE_READS) {
      if (again.action === 'update' || ++remakes > MAX_RECREATIONS) {
        const why = again.stuck ?? 'another client changes it too';
        throw new UnavailableError(`${titleOf(again)} was set, but still differs: ${why}`);
      }
      done.clear();
      looks = 0;
    }
    await rest(looks + tries, effects);
    if (deadline.aborted) {
      throw new DeadlineError(`timed out after ${formatDuration(timeoutMs)}; next change: ${lineOf(next)}`);
    }
  }
}

/** All changes are shown before the first one is applied. */
function requireAll(changes: readonly Planned[], part: Readable, { log }: Effects): void {
  for (const change of changes) log.info(lineOf(change), { part: part.name });
  const short = changes.find(({ lacks }) => lacks !== undefined);
  if (short !== undefined) throw new ConfigError(`cannot ${lineOf(short)}: ${short.lacks}`);
}

async function applyAll(changes: readonly Planned[], done: Set<string>): Promise<ConflictError | undefined> {
  for (const change of changes) {
    try {
      await change.apply();
      done.add(titleOf(change));
    } catch (error) {
      if (error instanceof ConflictError) return error;
      throw error;
    }
  }
  return undefined;
}

/** Pauses for a random time, so that two runs that collided do not collide again. */
async function rest(attempt: number, { signal, deadline }: Effects): Promise<void> {
  await pause(backoffMs(attempt, BACKOFF), AbortSignal.any([signal, deadline])).catch(() => signal.throwIfAborted());
}
