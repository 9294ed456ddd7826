import { ConfigError, DeadlineError, UnavailableError } from '../cli/errors.ts';
import { formatDuration } from '../cli/duration.ts';
import { backoffMs, pause } from '../platform/backoff.ts';
import { lineOf, titleOf, type Part, type Planned } from './change.ts';
import type { Effects } from './effects.ts';
import { Outdated } from './outdated.ts';

const BACKOFF = { minMs: 200, maxMs: 3000 };
/** How often something that we did may still be missing when it is read again: a replica behind is no quarrel. */
const LOOKS = 4;
/** Of what others do at the same time, each try settles one thing at least; this many settle none. */
const TRIES = 12;

/**
 * Makes a part as the service needs it: reads, shows every difference, ends them in order, and reads again until there is
 * none. So whatever happens in between (another run, a lost answer, a restart), what counts is what is read.
 * @returns how many changes were made
 * @throws ConfigError, before anything is changed, where something was not given; UnavailableError where somebody else changes the same back; the refusal of whom it asked
 */
export async function converge(part: Part, { signal, log, deadline, timeoutMs }: Effects): Promise<number> {
  const done = new Set<string>();
  let looks = 0;
  let tries = 0;
  for (;;) {
    const changes = await part.plan();
    if (changes.length === 0) return done.size;
    const again = changes.find((change) => done.has(titleOf(change)));
    if (again === undefined) {
      for (const change of changes) log.info(lineOf(change), { part: part.name });
      const short = changes.find(({ lacks }) => lacks !== undefined);
      if (short !== undefined) throw new ConfigError(`cannot ${lineOf(short)}: ${short.lacks}`);
      const cut = await applyAll(changes, done);
      if (cut === undefined) continue;
      if (++tries === TRIES) throw cut.final;
      log.info(`${cut.message}; reading again`, { part: part.name });
    } else if (++looks === LOOKS) {
      const why = again.stuck ?? 'somebody else changes it too';
      throw new UnavailableError(`${titleOf(again)} was set, and is still to be: ${why}`);
    }
    await pause(backoffMs(looks + tries, BACKOFF), AbortSignal.any([signal, deadline])).catch(() =>
      signal.throwIfAborted(),
    );
    if (deadline.aborted)
      throw new DeadlineError(`${formatDuration(timeoutMs)} were not enough; next was to ${lineOf(changes[0]!)}`);
  }
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
