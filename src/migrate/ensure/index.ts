/**
 * Databases, accounts and grants.
 *
 *   options -> admin (its password, socket, TLS) -> server reached -> each database of the service: read, created if
 *     missing -> accounts, TLS requirements, grants: the same -> login as the service, on each node of the cluster
 *
 * Idempotent, which matters on Galera: each of these statements blocks all writers briefly. Errors: contradicting
 * options (64), files (65), the server (69, 75), and an account that the server rejects (77); the reason is then
 * diagnosed, since the server reports the same error for a wrong password and for missing TLS.
 */
export { findAdmin } from './admin.ts';
export { ensureCommand } from './command.ts';
export { makeReady } from './make-ready.ts';
export { checkEnsureOptions } from '../options/ensure.ts';
