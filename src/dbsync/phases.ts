import { UsageError } from '../cli/errors.ts';
import { PHASES, type Phase, type Service, type Step } from '../services/index.ts';

/**
 * The steps of one phase; none where a service that is migrated in phases has nothing to do in that one.
 * @throws UsageError for a part of a migration that has no parts
 */
export function stepsOf({ name, migration }: Service, phase: Phase): readonly Step[] {
  const steps = migration.phases[phase];
  if (steps !== undefined) return steps;
  if (Object.keys(migration.phases).length > 1) return [];
  throw new UsageError(
    `${name} is migrated in one step, under which replicas of the old release may break: there is no --phase ${phase}`,
  );
}

/**
 * Whether a phase has nothing left to do when the tool says so.
 * @param next what the tool's exit code means: `complete`, or the phase that comes next
 */
export function isBehind(phase: Phase, next: 'complete' | 'error' | Phase | undefined): boolean {
  // A check knows the schema, not the data that are moved online.
  if (next === undefined || next === 'error' || phase === 'online') return false;
  if (next === 'complete') return true;
  return phase !== 'all' && PHASES.indexOf(phase) < PHASES.indexOf(next);
}

/**
 * Whether the release's code may start on the schema once this phase is done: all of it, a command of one's own, and of
 * the phases before a rollout the last one that the service has.
 * @param word a phase, or `command`
 */
export function isLastBeforeRollout({ migration }: Service, word: Phase | 'command'): boolean {
  if (word === 'all' || word === 'command') return true;
  const has = (phase: Phase) => (migration.phases[phase] ?? []).length > 0;
  return word === (has('migrate') ? 'migrate' : 'expand');
}

/** Whether fence or record tell of a migration by that word, and not of other work under its lock. */
export function isMigration(word: string): boolean {
  return !word.includes(':');
}
