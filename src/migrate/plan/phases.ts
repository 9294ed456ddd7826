import { UsageError } from '../../core/errors.ts';
import { PHASES, type Phase, type Service, type Step } from '../../catalog/index.ts';

/**
 * The steps of one phase; none if a service that migrates in phases has nothing to do in it.
 * @throws UsageError if the migration has no phases
 */
export function stepsOf({ name, migration }: Service, phase: Phase): readonly Step[] {
  const steps = migration.phases[phase];
  if (steps !== undefined) return steps;
  if (Object.keys(migration.phases).length > 1) return [];
  throw new UsageError(
    `${name} is migrated in one step, which may break replicas of the old release: it has no --phase ${phase}`,
  );
}

/**
 * Whether a phase has nothing left to do according to the tool.
 * @param next the meaning of the tool's exit code: `complete`, or the next phase
 */
export function isBehind(phase: Phase, next: 'complete' | 'error' | Phase | undefined): boolean {
  // A check covers the schema, but not data that is migrated online.
  if (next === undefined || next === 'error' || phase === 'online') return false;
  if (next === 'complete') return true;
  return phase !== 'all' && PHASES.indexOf(phase) < PHASES.indexOf(next);
}

/** Whether a phase in the fence or the record is that of a migration and not of other work under the same lock. */
export function isMigration(word: string): boolean {
  return !word.includes(':');
}
