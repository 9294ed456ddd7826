/**
 * Kolla's healthcheck names: its words and variables in, its stdout and exit codes out, and a reason on stderr besides.
 *
 *   name, argv, environment -> names.ts: one file a script -> KollaQuestion, or what is wrong with the words
 *     -> runKolla(): asked once under its deadline -> stdout, reason on stderr, exit 0 or 1
 *
 * All but mariadb and rabbitmq run in kolla-core, which has no Node to start. What can fail: words that make no sense, which
 * is unhealthy as with Kolla's, and an image without curl (127).
 */
export { isKollaName } from './names.ts';
export { KOLLA_NAMES, type KollaName } from './variables.ts';
