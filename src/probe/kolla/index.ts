/**
 * Replaces Kolla's healthcheck scripts: the same arguments, variables, stdout and exit codes, plus a reason on stderr.
 *
 *   name, argv, environment -> names.ts: one file per script -> KollaQuestion, or an error in the arguments
 *     -> runKolla(): run once within its deadline -> stdout, reason on stderr, exit code 0 or 1
 *
 * All but mariadb and rabbitmq run in kolla-core, without Node's start time. Errors: invalid arguments, which are
 * unhealthy as in Kolla's scripts, and an image without curl (127).
 */
export { isKollaName } from './names.ts';
export { KOLLA_NAMES, type KollaName } from './variables.ts';
