/**
 * The cost of log shipping compared with an earlier build: `make bench NAME=log-ship-before BEFORE=FILE`, where FILE is
 * its dist/bin/kolla-log-ship. Both alternately, as in log-ship.ts.
 */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startBulkSink } from '../test/support/bulk-sink.ts';
import { writeLogLines } from '../test/support/log-lines.ts';
import { privateDirectory } from '../tools/directory.ts';
import type { FiguresBench } from './bench.ts';
import { percentile, round, type Figure } from './figure.ts';
import { curveFigures } from './log-ship-curve.ts';
import { formatFigures } from './log-ship-formats.ts';
import { inTurns } from './log-ship-turns.ts';
import { BINARY, binaryAt, ours, type Documents, type Taken } from './log-shipper.ts';

const LINES = 1_000_000;
const ROUNDS = 5;
const REACH_RATIO: Record<Documents, number> = { raw: 0.5, parsed: 0.6 };
const REACH_MB = 120;
const REACH_ANONYMOUS_MB = 64;
const BEFORE = process.env['BEFORE'] || undefined;

export const logShipBefore: FiguresBench = {
  kind: 'figures',
  name: 'log-ship-before',
  title: 'kolla-log-ship: compared with an earlier build',
  peer: 'the build that decoded lines to strings',
  subject: 'this build',
  capability: () => {
    const missing = [BINARY, BEFORE].find((path) => path === undefined || !existsSync(path));
    return Promise.resolve(
      BEFORE !== undefined && missing === undefined ? undefined : `BEFORE is not a built kolla-log-ship`,
    );
  },
  async run(say) {
    const before = binaryAt(BEFORE!);
    await using logs = await privateDirectory('bench-logs');
    await using sink = await startBulkSink({ fast: true });
    const file = join(logs.path, 'nova/nova-compute.log');
    await mkdir(join(logs.path, 'nova'));
    writeLogLines(file, { events: LINES });
    const figures: Figure[] = [];
    for (const documents of ['raw', 'parsed'] as const) {
      say(documents);
      const work = { root: logs.path, files: [file], documents, lines: LINES };
      const [our = [], its = []] = await inTurns(sink, work, [
        { shipper: ours, rounds: ROUNDS },
        { shipper: before, rounds: ROUNDS },
      ]);
      figures.push(...loadFigures(documents, our, its));
    }
    say('formats');
    figures.push(...(await formatFigures(logs.path, sink, before)));
    say('by lines per second');
    return [...figures, ...(await curveFigures(before))];
  },
};

function loadFigures(documents: Documents, our: readonly Taken[], its: readonly Taken[]): Figure[] {
  const cpu = (part: number) => {
    const [mine, theirs] = [our, its].map((runs) =>
      percentile(
        runs.map(({ cpuS }) => cpuS),
        part,
      ),
    ) as [number, number];
    return { ours: round(mine, 2), peer: round(theirs, 2) };
  };
  const most = (key: 'peakMB' | 'anonymousMB') => {
    const [mine, theirs] = [our, its].map((runs) => Math.max(...runs.map((run) => run[key]))) as [number, number];
    return { ours: round(mine, 0), peer: round(theirs, 0) };
  };
  const [least, median] = [cpu(0), cpu(0.5)];
  const ratio = (of: { ours: number; peer: number }) => ({ ours: round(of.ours / of.peer, 2), peer: 1 });
  return [
    { what: `${documents}: CPU ratio, minimum`, unit: '×', ...ratio(least), reach: REACH_RATIO[documents] },
    { what: `${documents}: CPU ratio, median`, unit: '×', ...ratio(median), reach: REACH_RATIO[documents] },
    { what: `${documents}: CPU, minimum`, unit: 's', ...least },
    { what: `${documents}: CPU, median`, unit: 's', ...median },
    { what: `${documents}: peak memory`, unit: 'MB', ...most('peakMB'), reach: REACH_MB },
    { what: `${documents}: peak anonymous memory`, unit: 'MB', ...most('anonymousMB'), reach: REACH_ANONYMOUS_MB },
  ];
}
