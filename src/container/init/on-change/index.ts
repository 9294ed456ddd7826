/**
 * Telling the service of a change.
 *
 *   --on-change's texts -> actions (a typo, or a program that there is not, is UsageError before anything is watched)
 *   a version is in place -> runner: each action in its order (perform: signal, exec, http), again with growing pauses
 *     until it succeeds or a newer version is there -> all done, and the end where `exit` is one of them
 *
 * An action that fails is logged and counted, never thrown. `pending` remembers across restarts that a process has still to
 * be told. What may be a secret in a text, a URL or a command's output is in no log.
 */
export { parseActions, type Action } from './actions.ts';
export { pendingIn } from './pending.ts';
export { checkProgram, performer } from './perform.ts';
export { ActionRunner, NO_ACTIONS, type ActionStatus } from './runner.ts';
