import { UsageError } from '../core/errors.ts';
import { PHASES, type Phase, type Service, type Step } from '../catalog/index.ts';

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

/** Whether fence or record tell of a migration by that word, and not of other work under its lock. */
export function isMigration(word: string): boolean {
  return !word.includes(':');
}
