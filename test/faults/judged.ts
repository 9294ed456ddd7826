import { describe, test } from 'node:test';
import { assertOnce, runFault, type Fault, type Size } from './run.ts';
import { rowOf } from './row.ts';
import { sinkDestination, type SinkDestination } from './sink.ts';

/** They wait more than they work: for the writer, for pauses that grow, for what is late on purpose. */
const AT_ONCE = 2;

/**
 * A test for each fault: every line once.
 * @param skip why some can't run here
 */
export function judgeEach(
  what: string,
  faults: readonly Fault<SinkDestination>[],
  size: Size,
  skip: string | false = false,
): void {
  describe(what, { concurrency: AT_ONCE, skip }, () => {
    for (const fault of faults) {
      test(`${fault.name}: every line once`, async (t) => {
        await using sink = await sinkDestination(size.seed);
        const row = await runFault(fault, sink, size);
        t.diagnostic(rowOf(row));
        assertOnce(row);
      });
    }
  });
}
