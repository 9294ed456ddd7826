/**
 * The cost of log shipping: `make bench NAME=log-ship`.
 *
 *   a million numbered oslo.log lines, in one file and in four -> our binary and rsyslog, alternately, each from its
 *     start -> the same bulk sink in a separate process -> CPU time, wall time and memory of the shipper, and the time
 *     to the first line
 *   the same raw lines -> ours and the bulk helper of Elasticsearch's client
 *   fifty idle files -> both concurrently -> CPU and memory when idle
 *   real Elasticsearch and OpenSearch -> a tenth of the lines, also from a client that only sends
 *
 * In all rows ours sends document ids and keeps a checkpoint; rsyslog does neither. The sink is never the bottleneck.
 */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { canRunElasticsearch, startElasticsearch } from '../test/cluster/elasticsearch.ts';
import { canRunOpenSearch, startOpenSearch } from '../test/cluster/opensearch.ts';
import { canRunRsyslog } from '../test/cluster/rsyslog.ts';
import { startBulkSink } from '../test/support/bulk-sink.ts';
import { privateDirectory } from '../tools/directory.ts';
import { writeLogLines } from '../test/support/log-lines.ts';
import type { FiguresBench } from './bench.ts';
import { round, type Figure } from './figure.ts';
import { idleFigures } from './log-ship-idle.ts';
import { serverFigures } from './log-ship-server.ts';
import { inTurns, type Work } from './log-ship-turns.ts';
import { BINARY, bulkHelper, ours, rsyslog, type Documents, type Taken } from './log-shipper.ts';

const LINES = 1_000_000;
const LINES_TO_SERVERS = 100_000;
const ROUNDS = 3;
/** One round takes a minute. */
const PEER_ROUNDS = 2;
const REACH_CPU_S: Record<Documents, number> = { raw: 1.9, parsed: 4 };
/** Ratio to rsyslog when both were first measured (10.1 and 17.7 s): absolute seconds differ between machines. */
const REACH_RATIO: Record<Documents, number> = { raw: 0.19, parsed: 0.23 };
const REACH_MB = 100;
const SERVERS = [
  { name: 'Elasticsearch 8', capability: canRunElasticsearch, startServer: () => startElasticsearch() },
  { name: 'OpenSearch 3', capability: canRunOpenSearch('3'), startServer: () => startOpenSearch('3') },
];

export const logShip: FiguresBench = {
  kind: 'figures',
  name: 'log-ship',
  title: 'kolla-log-ship: cost of shipping',
  peer: "Debian's rsyslog",
  capability: async () => (existsSync(BINARY) ? await canRunRsyslog() : `${BINARY} does not exist: run \`make build\``),
  async run(say) {
    await using logs = await privateDirectory('bench-logs');
    say('writing the lines');
    const root = logs.path;
    await mkdir(join(root, 'nova'));
    const one = [join(root, 'nova/nova-compute.log')];
    const four = Array.from({ length: 4 }, (_, i) => join(root, `nova/nova-${i}.log`));
    writeLogLines(one[0]!, { events: LINES });
    for (const [i, file] of four.entries())
      writeLogLines(file, { events: LINES / 4, from: (i * LINES) / 4, seed: i + 1 });
    const figures: Figure[] = [];
    for (const files of [one, four])
      for (const documents of ['raw', 'parsed'] as const) {
        say(`${documents}, ${filesOf(files)}`);
        figures.push(...(await loadFigures({ root, files, documents, lines: LINES })));
      }
    say('bulk helper');
    figures.push(...(await helperFigures({ root, files: one, documents: 'raw', lines: LINES })));
    say('idle');
    figures.push(...(await idleFigures()));
    return [...figures, ...(await realFigures(root, say))];
  },
};

async function loadFigures(work: Work): Promise<Figure[]> {
  const { files, documents } = work;
  await using sink = await startBulkSink({ fast: true });
  const [our = [], their = []] = await inTurns(sink, work, [
    { shipper: ours, rounds: ROUNDS },
    { shipper: rsyslog, rounds: PEER_ROUNDS },
  ]);
  const figure = (what: string, unit: string, key: keyof Taken, digits: number, reach?: number): Figure => {
    // The maximum counts for memory: a limit must cover it.
    const one = (runs: readonly Taken[]) => Math[key.endsWith('MB') ? 'max' : 'min'](...runs.map((run) => run[key]));
    return {
      what: `${documents}, ${filesOf(files)}: ${what}`,
      unit,
      ours: round(one(our), digits),
      peer: round(one(their), digits),
      ...(reach === undefined ? {} : { reach }),
    };
  };
  const cpu = figure('CPU', 's', 'cpuS', 2, REACH_CPU_S[documents]);
  const ratio = { ours: round(cpu.ours / cpu.peer!, 2), peer: 1, reach: REACH_RATIO[documents] };
  return [
    { what: `${documents}, ${filesOf(files)}: CPU ratio`, unit: '×', ...ratio },
    cpu,
    figure('wall time', 's', 'wallS', 2),
    figure('peak memory', 'MB', 'peakMB', 0, REACH_MB),
    figure('peak anonymous memory', 'MB', 'anonymousMB', 0),
    figure('first line after', 's', 'firstS', 2),
  ];
}

/** Compared with Elasticsearch's client; the other rows compare with rsyslog. */
async function helperFigures(work: Work): Promise<Figure[]> {
  await using sink = await startBulkSink({ fast: true });
  const [our = [], its = []] = await inTurns(sink, work, [
    { shipper: ours, rounds: PEER_ROUNDS },
    { shipper: bulkHelper, rounds: PEER_ROUNDS },
  ]);
  const least = (runs: readonly Taken[], key: keyof Taken) => Math.min(...runs.map((run) => run[key]));
  const figure = (what: string, unit: string, key: keyof Taken, digits: number): Figure => ({
    what: `raw, 1 file, compared with @elastic/elasticsearch's bulk helper: ${what}`,
    unit,
    ours: round(least(our, key), digits),
    peer: round(least(its, key), digits),
  });
  return [
    figure('CPU', 's', 'cpuS', 2),
    figure('wall time', 's', 'wallS', 2),
    figure('peak memory', 'MB', 'peakMB', 0),
  ];
}

async function realFigures(root: string, say: (text: string) => void): Promise<Figure[]> {
  const log = { root, file: join(root, 'nova/nova-api.log'), lines: LINES_TO_SERVERS };
  writeLogLines(log.file, { events: log.lines });
  const figures: Figure[] = [];
  for (const { name, capability, startServer } of SERVERS) {
    const no = await capability();
    if (no === undefined) {
      say(`into ${name}`);
      await using server = await startServer();
      figures.push(...(await serverFigures(name, server, log)));
    } else say(`not into ${name}: ${no}`);
  }
  return figures;
}

function filesOf(files: readonly string[]): string {
  return `${files.length} file${files.length === 1 ? '' : 's'}`;
}
