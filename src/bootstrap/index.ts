/**
 * What a service needs outside its database before its first start: for kolla-bootstrap (src/job).
 *
 *   service -> its data (src/catalog, or kolla-pod.yaml) -> names, passwords and transport URL from options or from the
 *     service's own configuration, access to Keystone, RabbitMQ and the API server (parts.ts)
 *     -> part by part, in the order queue, keys, users, endpoints:
 *        read what is there -> plan what differs, as data -> show it -> make it so, in place -> read again, until nothing differs
 *        (converge.ts)
 *
 * Nothing is removed but by a part's planRemoval, and nothing is written where nothing differs: a password only where Keystone
 * answers 401 to it, as every set revokes its tokens. What was read and is not so any more (409, 404, a lost answer) is read
 * again. What can fail: options and files (64, 65); a duplicate that only a person can judge, or a refusal (69, 77); no answer in
 * time (75). A part is one more directory with a `Part`.
 */
export { diffText, jsonOf, lineOf, PARTS, type Change, type PartName, type Planned } from './change.ts';
export { converge, settledPlan } from './converge.ts';
export type { Effects } from './effects.ts';
export { keysCommand } from './keys/index.ts';
export { BOOTSTRAP_OPTIONS, OWN_OPTIONS } from './options.ts';
export type { Purpose } from './keystone/index.ts';
export { chosenParts, prepare, type OpenParts } from './parts.ts';
