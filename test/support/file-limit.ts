/**
 * Loaded before each test file by test/run.ts: a file that hangs ends with what it still holds, and those behind it run.
 * Node's runner has no such limit: its `timeout` is for tests, and a file may hang after its last one.
 */
import { FILE_LIMIT_MS } from './limits.ts';

const limitMs = Number(process.env['KOLLA_POD_TEST_FILE_LIMIT_MS'] ?? FILE_LIMIT_MS);
setTimeout(() => {
  console.error(
    `${process.argv[1]} did not end in ${limitMs / 60_000} min; it holds ${process.getActiveResourcesInfo().join(', ')}`,
  );
  // eslint-disable-next-line unicorn/no-process-exit -- what holds the process is what hangs
  process.exit(1);
}, limitMs).unref();
