/**
 * kolla-probe serve: the checks of one pod, asked all the time, so that a probe costs one small HTTP answer.
 *
 *   `checks:` of kolla-pod.yaml -> config (schema, every problem with its place) -> prepare (the words of `run`, read by
 *   the same tables as the command line: a Question each) -> checks: each asked once a period, one at a time, under its
 *   deadline -> what is known of each, kept as a Part { state, reason, since }
 *   Parts -> /startupz /livez /readyz, /checks/NAME, /metrics (server)
 *   a Part that changes -> one log line (checks)
 *
 * No probe ever waits for a check. A check that hangs is unhealthy by its deadline and is not asked again until it has let
 * go; one without an answer for several periods is unseen, which counts as unhealthy. Fails with 65 for a wrong
 * section or an address that is taken, before the first answer; afterwards only by a signal.
 */
export { startChecks, type Checks } from './checks.ts';
export { checksOf, readChecks } from './config.ts';
export type { Part, Role } from './part.ts';
export { prepareChecks, type PreparedCheck } from './prepare.ts';
export type { CheckStatus } from './resident-check.ts';
export { SERVE_OPTIONS } from './command.ts';
