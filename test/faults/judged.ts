import { describe, test } from 'node:test';
import { assertOnce, runFault, type Fault, type Size } from './run.ts';
import { rowOf } from './row.ts';
import { sinkDestination, type SinkDestination } from './sink.ts';

/** Most of the time these tests wait: for the writer, for backoff and for deliberate delays. */
const AT_ONCE = 2;

/**
 * One test per fault: no line is lost or duplicated.
 * @param skip reason why some cannot run here
 */
export function judgeEach(
  what: string,
  faults: readonly Fault<SinkDestination>[],
  size: Size,
  skip: string | false = false,
): void {
  describe(what, { concurrency: AT_ONCE, skip }, () => {
    for (const fault of faults) {
      test(`${fault.name}: no line lost or duplicated`, async (t) => {
        await using sink = await sinkDestination(size.seed);
        const row = await runFault(fault, sink, size);
        t.diagnostic(rowOf(row));
        assertOnce(row);
      });
    }
  });
}
