import type { BulkSink } from '../test/support/bulk-sink.ts';
import { until } from '../test/support/until.ts';
import { taken, type Job, type Shipper, type Taken } from './log-shipper.ts';

/** The work of a shipper: files with that number of lines in total, each of which becomes a document. */
export interface Work extends Omit<Job, 'port'> {
  readonly lines: number;
}

/** Runs shippers alternately on the same files, each from its start. Returns the runs of each shipper. */
export async function inTurns(
  sink: BulkSink,
  { lines, ...job }: Work,
  shippers: readonly { readonly shipper: Shipper; readonly rounds: number }[],
): Promise<Taken[][]> {
  const runs: Taken[][] = shippers.map(() => []);
  const most = Math.max(...shippers.map(({ rounds }) => rounds));
  for (let round = 0; round < most; round++)
    for (const [nth, { shipper, rounds }] of shippers.entries()) {
      if (round >= rounds) continue;
      await sink.reset();
      const arrived = () =>
        until(`${lines} lines in the sink`, async () => {
          const counts = await sink.counts();
          return counts.documents >= lines ? counts : undefined;
        });
      runs[nth]!.push(await taken(shipper, { ...job, port: sink.port }, arrived));
    }
  return runs;
}
