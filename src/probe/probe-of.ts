import type { Helper } from '../cli/command.ts';
import { commandFor, type CheckSet } from './ask/check.ts';
import { serveCommandOf } from './serve/command.ts';

/** kolla-probe with these checks. */
export function probeOf(set: CheckSet): Helper {
  const checks = Object.fromEntries(set.checks.map((check) => [check.word, commandFor(check)]));
  return {
    name: 'kolla-probe',
    summary: 'Reports whether a service is healthy and, if not, why.',
    isGuest: true,
    commands: { ...checks, serve: serveCommandOf(set) },
  };
}
