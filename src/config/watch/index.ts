/**
 * Watches a configuration that changes while the container runs.
 *
 *   events of inotify (a ConfigMap's `..data`, a plain directory, other sources) -> bell -> debounce
 *   polling that compares content every `pollMs`, for changes without an event  -> |
 *     -> look: read, validate, plan, all of one version -> apply the differences -> finish (command, CA store)
 *     -> onApplied (actions; both provided by the caller)
 *
 * An invalid version is rejected: logged with all problems, counted, and the installed one stays. System errors (a full
 * disk) are retried with backoff. The same content is never examined twice, so a rejection is logged once. A lost event
 * costs at most `pollMs`, and the watch is then re-created. Ends only by its signal, between two files: each is old or
 * new.
 */
export type { Change, WatchOptions, WatchParts } from './parts.ts';
export type { FileInPlace } from './in-place.ts';
export { fingerprintOf } from './fingerprint.ts';
export { STARTING, type WatchStatus } from './status.ts';
export { watchConfig } from './watch-config.ts';
