/** What test/run.ts gives to Node's own runner. It must be more than any file's watchdog (file-limit.ts) allows. Milliseconds. */
export const TEST_LIMIT_MS = 15 * 60_000;
