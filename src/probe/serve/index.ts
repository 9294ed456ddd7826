/**
 * kolla-probe serve: runs the checks of one Pod continuously, so that a probe costs one small HTTP response.
 *
 *   `checks:` of kolla-pod.yaml -> config (schema, all problems with their places) -> prepare (the arguments of `run`,
 *   parsed by the command line's tables: a Question each) -> checks: each run once per period, one at a time, within its
 *   deadline -> its result, kept as a Part { state, reason, since }
 *   Parts -> /startupz /livez /readyz, /checks/NAME, /metrics (server)
 *   a changed Part -> one log line (checks)
 *
 * Probes never wait for checks. A hanging check is unhealthy after its deadline and is not run again until it has
 * returned; one without a result for several periods is unseen, which counts as unhealthy. Fails with 65 for an invalid
 * section or an address in use, before the first response; after that it ends only by a signal.
 */
export { startChecks, type Checks } from './checks.ts';
export { checksOf, readChecks } from './config.ts';
export type { Part, Role } from './part.ts';
export { prepareChecks, type PreparedCheck } from './prepare.ts';
export type { CheckStatus } from './resident-check.ts';
export { SERVE_OPTIONS } from './command.ts';
