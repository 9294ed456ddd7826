/**
 * A backlog: `make bench NAME=log-ship-outage`.
 *
 *   10 GB of oslo.log lines in one file -> a bulk sink that answers 503 for a minute and then accepts everything -> time
 *     from the first to the last line, CPU, and memory while lines wait and while they are sent
 *   a tenth of the lines -> the same sink without an outage
 *
 * The sink only counts: a real server would take hours on two CPUs.
 */
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readFile, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBulkSink, type BulkSink } from '../test/support/bulk-sink.ts';
import { writeLogLines } from '../test/support/log-lines.ts';
import { until } from '../test/support/until.ts';
import { privateDirectory } from '../tools/directory.ts';
import type { FiguresBench } from './bench.ts';
import { round, type Figure } from './figure.ts';
import { BINARY, memoryOf, ours, taken, type Job, type Taken } from './log-shipper.ts';

const LINES = 1_000_000;
/** The files, in millions of lines: 10 GB and 1 GB. */
const WAITING = 44;
const WITHOUT = 4;
const ROOM_BYTES = 15e9;
const OUTAGE_MS = 60_000;
const SAMPLE_MS = 100;
const REACH_RATIO = 1.1;
const REACH_MB = 120;
const REACH_ANONYMOUS_MB = 64;

export const logShipOutage: FiguresBench = {
  kind: 'figures',
  name: 'log-ship-outage',
  title: 'kolla-log-ship: 10 GB behind an outage, parsed',
  subject: 'after a minute of 503',
  peer: '1 GB without an outage',
  async capability() {
    if (!existsSync(BINARY)) return `${BINARY} does not exist: run \`make build\``;
    const { bavail, bsize } = await statfs(tmpdir());
    return bavail * bsize > ROOM_BYTES ? undefined : `less than ${ROOM_BYTES / 1e9} GB free in ${tmpdir()}`;
  },
  async run(say) {
    await using logs = await privateDirectory('bench-logs');
    await using sink = await startBulkSink({ fast: true });
    say('writing the lines');
    await mkdir(join(logs.path, 'nova'));
    const file = join(logs.path, 'nova/nova-compute.log');
    writeLogLines(file, { events: LINES });
    const part = await readFile(file);
    for (let nth = 1; nth < WITHOUT; nth++) await appendFile(file, part);
    const job: Job = { root: logs.path, files: [file], documents: 'parsed', port: sink.port };
    say('without an outage');
    const without = await drained(sink, job, WITHOUT, 0);
    for (let nth = WITHOUT; nth < WAITING; nth++) await appendFile(file, part);
    say('behind an outage');
    return figuresOf(await drained(sink, job, WAITING, OUTAGE_MS), without);
  },
};

interface Drained extends Taken {
  readonly millions: number;
  /** From the first to the last accepted line. */
  readonly sendingS: number;
  /** Maximum anonymous memory while lines wait, and while each tenth of them is sent. */
  readonly waitingMB: number;
  readonly tenthsMB: readonly number[];
}

async function drained(sink: BulkSink, job: Job, millions: number, outageMs: number): Promise<Drained> {
  await sink.reset();
  await sink.set(outageMs > 0 ? { status: 503 } : {});
  const all = LINES * millions;
  let [sendingS, waitingMB] = [0, 0];
  const tenthsMB = Array.from({ length: 10 }, () => 0);
  const result = await taken(ours, job, async (pid) => {
    for (const beganMs = performance.now(); performance.now() - beganMs < outageMs; await sleep(SAMPLE_MS))
      waitingMB = Math.max(waitingMB, memoryOf(pid, 'RssAnon'));
    await sink.set({});
    const counts = await until(`${all} lines in the sink`, async () => {
      const soFar = await sink.counts();
      if (soFar.documents >= all) return soFar;
      const tenth = Math.floor((10 * soFar.documents) / all);
      if (soFar.documents > 0) tenthsMB[tenth] = Math.max(tenthsMB[tenth]!, memoryOf(pid, 'RssAnon'));
      return undefined;
    });
    sendingS = (counts.lastMs - counts.firstMs) / 1000;
    return counts;
  });
  return { ...result, millions, sendingS, waitingMB, tenthsMB };
}

function figuresOf(behind: Drained, without: Drained): Figure[] {
  const figure = (what: string, unit: string, digits: number, of: (run: Drained) => number): Figure => {
    return { what, unit, ours: round(of(behind), digits), peer: round(of(without), digits) };
  };
  const perMillion = ({ sendingS, millions }: Drained) => sendingS / millions;
  const ratio = { ours: round(perMillion(behind) / perMillion(without), 2), peer: 1 };
  return [
    { what: 'time per line: ratio', unit: '×', ...ratio, reach: REACH_RATIO },
    figure('lines per second', 'thousand', 0, (run) => 1000 / perMillion(run)),
    figure('CPU per million lines', 's', 2, ({ cpuS, millions }) => cpuS / millions),
    { ...figure('peak memory', 'MB', 0, ({ peakMB }) => peakMB), reach: REACH_MB },
    { ...figure('peak anonymous memory', 'MB', 0, ({ anonymousMB }) => anonymousMB), reach: REACH_ANONYMOUS_MB },
    { what: 'peak anonymous memory, while waiting', unit: 'MB', ours: round(behind.waitingMB, 0), peer: undefined },
    figure('peak anonymous memory, first tenth', 'MB', 0, ({ tenthsMB }) => tenthsMB[0]!),
    figure('peak anonymous memory, last tenth', 'MB', 0, ({ tenthsMB }) => tenthsMB[9]!),
  ];
}
