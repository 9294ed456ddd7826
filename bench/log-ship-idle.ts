import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBulkSink } from '../test/support/bulk-sink.ts';
import { privateDirectory } from '../tools/directory.ts';
import { writeLogLines } from '../test/support/log-lines.ts';
import { until } from '../test/support/until.ts';
import { round, type Figure } from './figure.ts';
import { cpuSecondsOf, memoryOf, ours, rsyslog } from './log-shipper.ts';

const FILES = 50;
const LINES = 200;
/** After the last line: lets the heap settle. */
const REST_MS = 3000;
const WATCHED_MS = 20_000;
const REACH_MB = 60;
const REACH_PERCENT = 0.2;

/** Cost of two idle shippers, measured concurrently. */
export async function idleFigures(): Promise<Figure[]> {
  await using logs = await privateDirectory('bench-idle');
  const service = join(logs.path, 'nova');
  await mkdir(service);
  const files = Array.from({ length: FILES }, (_, i) => join(service, `nova-${i}.log`));
  for (const [seed, file] of files.entries()) writeLogLines(file, { events: LINES, seed });
  await using stack = new AsyncDisposableStack();
  const shippers = [];
  for (const shipper of [ours, rsyslog]) {
    const sink = stack.use(await startBulkSink({ fast: true }));
    const directory = stack.use(await privateDirectory('bench-ship'));
    shippers.push(
      stack.use(await shipper({ root: logs.path, files, documents: 'parsed', port: sink.port }, directory.path)),
    );
    await until(`${FILES} files to be in`, async () =>
      (await sink.counts()).documents >= FILES * LINES ? true : undefined,
    );
  }
  await sleep(REST_MS);
  const before = shippers.map(({ pid }) => cpuSecondsOf(pid));
  await sleep(WATCHED_MS);
  const percent = shippers.map(({ pid }, i) => ((cpuSecondsOf(pid) - before[i]!) / WATCHED_MS) * 100_000);
  const megabytes = shippers.map(({ pid }) => memoryOf(pid, 'VmRSS'));
  const figure = (what: string, unit: string, values: readonly number[], digits: number, reach: number): Figure => ({
    what: `idle with ${FILES} files: ${what}`,
    unit,
    ours: round(values[0]!, digits),
    peer: round(values[1]!, digits),
    reach,
  });
  return [figure('CPU', '% of a core', percent, 2, REACH_PERCENT), figure('memory', 'MB', megabytes, 0, REACH_MB)];
}
