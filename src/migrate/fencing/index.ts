/**
 * Fencing: ensures that a migration's command can do nothing after its helper has lost the lock.
 *
 *   before the command: what distinguishes its sessions from the live service's is written to the fence row (trace);
 *     with an admin it is an account created for this token, else the address of its connections
 *   taking over: the trace of the previous migration -> its account locked, its sessions killed on every node until none is
 *     left; or those from its address; or, if they cannot be distinguished from the service's, an operator must decide
 *   after the command: the account's sessions are killed, the account dropped; kept, locked, if a trigger needs it
 *
 * A trace stays in the row until its sessions have ended, even across failed takeovers. Errors: a listed node that is
 * unreachable (69 at the deadline), sessions that cannot be told apart (69, with the list).
 */
export { beginOwn, endOwn } from './own.ts';
export { fencePredecessor } from './predecessor.ts';
export { breakStaleLock } from './trace.ts';
