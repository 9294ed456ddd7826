/**
 * Waits for a container's dependencies before it starts.
 *
 *   text -> grammar/ -> Dependency -> kinds/ (one file each) -> one waiter each, in parallel -> verdict
 *            waiters of API objects        -> sharing.ts: own watches, or a shared one
 *            waiters of servers and files  -> retry.ts: retried with backoff
 *            every waiter -> board -> a line at the start and per change, a summary every 30 s; a table on a terminal
 *
 * The wait ends when all are ready. The first that can never become ready (a failed Job, no permission) ends the wait
 * with its error; a timeout (75), of all or of one, names the pending dependencies, their last states, and the next
 * command to run; SIGTERM ends it at once. An unreachable dependency is not an error.
 */
export { translate, type EntrypointVariables, type Translated } from './compat/index.ts';
export { accessOf } from './access.ts';
export type { Dependency } from './dependency/dependency.ts';
export { parseDependency } from './grammar/any-kind.ts';
export { WAIT_NOTES } from './grammar/help.ts';
export { ANY, KINDS } from './kinds/index.ts';
export { reportAsEntrypoint, reportInLines, type BoardReport } from './tell.ts';
export type { WaitOptions } from './dependency/waiter.ts';
export { waitForAll, type WaitAllContext } from './wait-for-all.ts';
