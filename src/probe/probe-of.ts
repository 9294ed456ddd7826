import type { Command, Helper } from '../cli/command.ts';
import { commandFor, type Check } from './check.ts';

/** kolla-probe with these checks: all of them in kolla-pod, fewer in kolla-core. */
export function probeOf(checks: readonly Check[], more: Readonly<Record<string, Command>> = {}): Helper {
  return {
    name: 'kolla-probe',
    summary: 'Tells whether a service is healthy, and if not, why.',
    isGuest: true,
    commands: { ...Object.fromEntries(checks.map((check) => [check.word, commandFor(check)])), ...more },
  };
}
