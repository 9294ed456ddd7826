/**
 * Databases, accounts and grants.
 *
 *   options -> admin (its password, socket, TLS) -> server reached -> each database of the service: looked at, made where
 *     it is missing -> accounts, what they must show, grants: the same -> login as the service, on each node of the cluster
 *
 * A second run changes nothing, which on Galera matters: each of these statements stops all writers for a moment. What can fail:
 * options that contradict each other (64), files (65), the server (69, 75), and an account that the server does not let
 * in (77), whose reason is looked for, since the server gives the same one for a wrong password and for missing TLS.
 */
export { findAdmin } from './admin.ts';
export { ensureCommand } from './command.ts';
export { makeReady } from './make-ready.ts';
export { checkEnsureOptions } from './options.ts';
