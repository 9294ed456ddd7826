/**
 * Notifies the service of a change.
 *
 *   --on-change's values -> actions (a typo, or a missing program, is UsageError before anything is watched)
 *   a version is installed -> runner: each action in order (perform: signal, exec, http), retried with backoff until it
 *     succeeds or a newer version exists -> all done, and exit if `exit` is one of them
 *
 * A failed action is logged and counted, never thrown. `pending` remembers unsent notifications across restarts.
 * Possible secrets in a value, a URL or a command's output are never logged.
 */
export { parseActions, type Action } from './actions.ts';
export { pendingIn } from './pending.ts';
export { checkProgram, performer } from './perform.ts';
export { ActionRunner, NO_ACTIONS, type ActionStatus } from './runner.ts';
