/**
 * Well above what any takes, also the first of a cold machine, which builds Kubernetes: a limit that is reached is a hang.
 * Milliseconds.
 */
export const TEST_LIMIT_MS = 15 * 60_000;
export const FILE_LIMIT_MS = 18 * 60_000;
/** For what a test waits for: passing it is no matter of speed, so a busy machine must not reach it. */
export const EVENT_LIMIT_MS = 2 * 60_000;
