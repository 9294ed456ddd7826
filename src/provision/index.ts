/**
 * Prepares a service outside its database before its first start, for kolla-bootstrap (src/bootstrap).
 *
 *   service -> its data (src/catalog, or kolla-pod.yaml) -> names, passwords and transport URL from options or from the
 *     service's own configuration, access to Keystone, RabbitMQ and the API server (parts.ts)
 *     -> part by part, in the order queue, keys, users, endpoints:
 *        read the state -> plan the differences, as data -> show them -> apply them in place -> read again, until there
 *        is none (converge.ts)
 *
 * Removes only by a part's planRemoval, and writes only differences: a password is set only if Keystone returns 401 for
 * it, since each change revokes the user's tokens. Outdated state (409, 404, a lost response) is read again. Errors:
 * options and files (64, 65); a duplicate that only a person can resolve, or a denial (69, 77); a timeout (75). A new
 * part is one more directory with a `Part`.
 */
export { diffText, jsonOf, lineOf, PARTS, type Change, type PartName, type Planned } from './converge/change.ts';
export { converge, settledPlan } from './converge/converge.ts';
export type { Effects } from './converge/effects.ts';
export { keysCommand } from './keys/index.ts';
export { rabbitmqCheckCommand, rabbitmqPrepareCommand } from './rabbitmq/upgrade/index.ts';
export { BOOTSTRAP_OPTIONS, OWN_OPTIONS } from './options/options.ts';
export type { Purpose } from './keystone/index.ts';
export { chosenParts, prepare, type OpenParts } from './parts.ts';
