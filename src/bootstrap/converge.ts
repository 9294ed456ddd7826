import { ConfigError, DeadlineError, UnavailableError } from '../core/errors.ts';
import { formatDuration } from '../core/duration.ts';
import { backoffMs, pause } from '../core/backoff.ts';
import { lineOf, titleOf, type Part, type Planned } from './change.ts';
import type { Effects } from './effects.ts';
import { Outdated } from './outdated.ts';

/** What is read, and made so; removal is one too. */
type Readable = Pick<Part, 'name' | 'plan'>;

const BACKOFF = { minMs: 200, maxMs: 1000 };
/** How often something that we did may still be missing when it is read again: a replica behind is no quarrel. */
const LOOKS = 4;
/** How often what we made may vanish: another run took back what ours stood on. */
const REMAKES = 3;
/** Of what others do at the same time, each try settles one thing at least; this many settle none. */
const TRIES = 20;

/**
 * What differs, once what is read is at rest: while other runs are at work, it may hold for a moment what one of them takes
 * back.
 * @throws the reason why it is not at rest, where it stays so
 */
export async function settledPlan(part: Readable, effects: Effects): Promise<readonly Planned[]> {
  for (let look = 1; ; look++) {
    try {
      return await part.plan();
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
      if (look === LOOKS) throw error.final;
    }
    await rest(look, effects);
  }
}

/**
 * Makes a part as the service needs it: reads, shows every difference, ends them in order, and reads again until there is
 * none. So whatever happens in between (another run, a lost answer, a restart), what counts is what is read.
 * @returns how many changes were made
 * @throws ConfigError, before anything is changed, where something was not given; UnavailableError where another client
 *   changes the same back; DeadlineError; the refusal of whom it asked
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
      if (++tries === TRIES) throw cut.final;
      log.info(`${cut.message}; reading again`, { part: part.name });
    } else if (++looks === LOOKS) {
      if (again.action === 'update' || ++remakes > REMAKES) {
        const why = again.stuck ?? 'another client changes it too';
        throw new UnavailableError(`${titleOf(again)} was set, and is still to be: ${why}`);
      }
      done.clear();
      looks = 0;
    }
    await rest(looks + tries, effects);
    if (deadline.aborted) {
      throw new DeadlineError(`${formatDuration(timeoutMs)} were not enough; next was to ${lineOf(next)}`);
    }
  }
}

/** Shows every change before the first is made. */
function requireAll(changes: readonly Planned[], part: Readable, { log }: Effects): void {
  for (const change of changes) log.info(lineOf(change), { part: part.name });
  const short = changes.find(({ lacks }) => lacks !== undefined);
  if (short !== undefined) throw new ConfigError(`cannot ${lineOf(short)}: ${short.lacks}`);
}

async function applyAll(changes: readonly Planned[], done: Set<string>): Promise<Outdated | undefined> {
  for (const change of changes) {
    try {
      await change.apply();
      done.add(titleOf(change));
    } catch (error) {
      if (error instanceof Outdated) return error;
      throw error;
    }
  }
  return undefined;
}

/** Of random length, so that runs that met do not meet again. */
async function rest(attempt: number, { signal, deadline }: Effects): Promise<void> {
  await pause(backoffMs(attempt, BACKOFF), AbortSignal.any([signal, deadline])).catch(() => signal.throwIfAborted());
}
