/**
 * Following a configuration that changes under a running container.
 *
 *   chokidar's events (a ConfigMap's `..data`, a plain directory, sources elsewhere) -> bell -> settle time
 *   a poll that compares content, each `pollMs`, for what the kernel did not tell  -> |
 *     -> look: read, validate, plan, all of one version -> apply what differs -> finish (command, CA store)
 *     -> onApplied (actions; both by who composes us)
 *
 * A version that doesn't validate is refused: logged with every problem, counted, and what is in place stays. What the
 * system refuses (a full disk) is tried again with growing pauses. The same content is never looked at twice, so a refusal
 * is said once. A lost event costs at most `pollMs`, and the watch is then set up anew. Ends only by its signal, between
 * two files: each is old or new.
 */
export type { Change, WatchOptions, WatchParts } from './parts.ts';
export type { FileInPlace } from './in-place.ts';
export { fingerprintOf } from './fingerprint.ts';
export { STARTING, type WatchStatus } from './status.ts';
export { watchConfig } from './watch-config.ts';
