/**
 * Key repositories that a service's replicas share (Keystone's for tokens and for credentials), each kept in a Secret.
 *
 *   the service's data (services/keys.ts), its configuration -> Secret (store.ts: read, written only in place of the version
 *     that was read) <-> ring: numbered keys and when each became primary (ring.ts)
 *   create (part.ts): no Secret -> a ring of two keys, or those of a folder -> Secret. What is there is never touched.
 *   rotate (rotate.ts): is it due? -> 0 becomes the primary, a new 0 is staged, what nobody needs is dropped: one write
 *     -> Secret -> the kubelet -> the replicas' folders, each at its own time. A repository of things that stay is
 *     encrypted anew before and after (reencrypt.ts), by the service's own tool.
 *
 * A replica that has not seen a rotation yet knows the new primary as its staged key; so the next one waits until all have
 * (--settle), and no key goes while a token of it may live. A crash leaves one state or the other; a second run at the same time
 * is refused by the resourceVersion and sees that it is done. What can fail: no keys or wrong ones (65), the API server's
 * refusal with the Role to apply (77), its absence until the deadline (75), the tool (69).
 */
export { keysCommand } from './command.ts';
export { keysGrants } from './grants.ts';
export { openKeys, type KeysOptions, type OpenKeys } from './open.ts';
export { KEYS_ACCESS_OPTIONS, KEYS_OPTIONS } from './options.ts';
