import type { Phase, Service } from './service.ts';

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
