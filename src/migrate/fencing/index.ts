/**
 * What a migration's command can still do after its helper lost the lock: nothing.
 *
 *   before the command: how its sessions can be told from the live service's is written into the fence row (trace);
 *     with an admin that is an account of its own, made for this token, else the address that it comes from
 *   taking over: what the one before left (trace) -> its account locked, its sessions killed on every node until none is
 *     left; or those from its address; or, when they can't be told from the service's, an operator is asked
 *   after the command: the account's sessions ended, the account dropped; kept, locked, where a trigger needs it
 *
 * A trace stays in the row until its sessions have ended, also through takeovers that fail. What can fail: a node that
 * is listed and can't be reached (69 at the deadline), sessions that cannot be told apart (69, with the list).
 */
export { beginOwn, endOwn } from './own.ts';
export { fencePredecessor } from './predecessor.ts';
export { breakStaleLock } from './trace.ts';
