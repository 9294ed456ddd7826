/**
 * The cost of log shipping compared with an earlier build: `make bench NAME=log-ship-before BEFORE=FILE`, where FILE is
 * its dist/bin/kolla-log-ship. Both and rsyslog alternately, as in log-ship.ts.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { canRunRsyslog } from '../test/cluster/rsyslog.ts';
import { startBulkSink } from '../test/support/bulk-sink.ts';
import { writeLogLines } from '../test/support/log-lines.ts';
import { privateDirectory } from '../tools/directory.ts';
import type { FiguresBench } from './bench.ts';
import { percentile, round, type Figure } from './figure.ts';
import { formatFigures } from './log-ship-formats.ts';
import { inTurns } from './log-ship-turns.ts';
import { before, canCompareBuilds, ours, rsyslog, type Documents, type Taken } from './log-shipper.ts';

const LINES = 1_000_000;
const ROUNDS = 5;
/** One round takes half a minute. */
const RSYSLOG_ROUNDS = 2;
const REACH_RATIO: Record<Documents, number> = { raw: 0.57, parsed: 0.49 };
const REACH_MB = 40;
const REACH_ANONYMOUS_MB = 32;

export const logShipBefore: FiguresBench = {
  kind: 'figures',
  name: 'log-ship-before',
  title: 'kolla-log-ship: compared with an earlier build',
  peer: 'the build on Node',
  subject: 'this build',
  other: "Debian's rsyslog",
  capability: async () => (await canCompareBuilds()) ?? (await canRunRsyslog()),
  async run(say) {
    await using logs = await privateDirectory('bench-logs');
    await using sink = await startBulkSink({ fast: true });
    const file = join(logs.path, 'nova/nova-compute.log');
    await mkdir(join(logs.path, 'nova'));
    writeLogLines(file, { events: LINES });
    const figures: Figure[] = [];
    for (const documents of ['raw', 'parsed'] as const) {
      say(documents);
      const work = { root: logs.path, files: [file], documents, lines: LINES };
      const runs = await inTurns(sink, work, [
        { shipper: ours, rounds: ROUNDS },
        { shipper: before, rounds: ROUNDS },
        { shipper: rsyslog, rounds: RSYSLOG_ROUNDS },
      ]);
      figures.push(...loadFigures(documents, runs));
    }
    say('formats');
    return [...figures, ...(await formatFigures(logs.path, sink, before))];
  },
};

type Values = Pick<Required<Figure>, 'ours' | 'other'> & { readonly peer: number };

function loadFigures(documents: Documents, runs: readonly (readonly Taken[])[]): Figure[] {
  const each = (key: keyof Taken, part: number, digits: number): Values => {
    const [mine = NaN, its = NaN, rsyslogs = NaN] = runs.map((taken) => {
      const values = taken.map((run) => run[key]);
      return round(percentile(values, part), digits);
    });
    return { ours: mine, peer: its, other: rsyslogs };
  };
  const [least, median] = [each('cpuS', 0, 2), each('cpuS', 0.5, 2)];
  const ratio = ({ ours: mine, peer, other }: Values): Values => {
    return { ours: round(mine / peer, 2), peer: 1, other: round(other / peer, 2) };
  };
  return [
    { what: `${documents}: CPU ratio, minimum`, unit: '×', ...ratio(least), reach: REACH_RATIO[documents] },
    { what: `${documents}: CPU ratio, median`, unit: '×', ...ratio(median), reach: REACH_RATIO[documents] },
    { what: `${documents}: CPU, minimum`, unit: 's', ...least },
    { what: `${documents}: CPU, median`, unit: 's', ...median },
    { what: `${documents}: peak memory`, unit: 'MB', ...each('peakMB', 1, 0), reach: REACH_MB },
    {
      what: `${documents}: peak anonymous memory`,
      unit: 'MB',
      ...each('anonymousMB', 1, 0),
      reach: REACH_ANONYMOUS_MB,
    },
  ];
}
