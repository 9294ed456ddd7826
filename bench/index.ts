/**
 * Compares the cost of our commands with that of the tools they replace: `make bench`, or
 * `make bench NAME=set-configs`.
 *
 *   dist/kolla-pod and the peer, alternately, on the same machine with the same work -> CPU time of each with its
 *   children, and wall time -> minimum and median -> docs/evidence/bench-NAME.json and .svg, and a table in
 *   docs/concepts/performance.md
 *
 * Each bench is a file in this directory. Ratios compare the minimum CPU times: time above the minimum is due to other
 * load. A bench that cannot run on this machine is listed with the reason, and its earlier results are kept.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { commitNow } from '../tools/commit.ts';
import { comparedIn, type Bench, type Cost, type Row } from './bench.ts';
import { dbSync } from './db-sync.ts';
import { drawingOf } from './drawing.ts';
import { entrypoint } from './entrypoint.ts';
import { kollaInit } from './kolla-init.ts';
import { kollaStart } from './kolla-start.ts';
import { figureDrawing, figureLine, figureTable, verdict } from './figure.ts';
import { logShip } from './log-ship.ts';
import { logShipBefore } from './log-ship-before.ts';
import { logShipCurve } from './log-ship-curve.ts';
import { logShipOutage } from './log-ship-outage.ts';
import { logShipWays } from './log-ship-ways.ts';
import { probe } from './probe.ts';
import { probeServe } from './probe-serve.ts';
import { setConfigs } from './set-configs.ts';
import { waiting } from './waiting.ts';
import { waits } from './waits.ts';

const BENCHES: readonly Bench[] = [
  setConfigs,
  kollaStart,
  kollaInit,
  waits,
  waiting,
  entrypoint,
  dbSync,
  probe,
  probeServe,
  logShip,
  logShipBefore,
  logShipCurve,
  logShipOutage,
  logShipWays,
];
const PAGE = 'docs/concepts/performance.md';

const asked = process.argv.slice(2).filter((word) => word !== '');
const unknown = asked.find((name) => !BENCHES.some((bench) => bench.name === name));
if (unknown === undefined) {
  for (const bench of BENCHES.filter(({ name }) => asked.length === 0 || asked.includes(name))) await carryOut(bench);
} else {
  console.error(`no bench '${unknown}'; known: ${BENCHES.map(({ name }) => name).join(', ')}`);
  process.exitCode = 64;
}

async function carryOut(bench: Bench): Promise<void> {
  const peers = peersOf(bench);
  console.log(`\n── ${bench.name}: ${bench.title}, against ${peers}`);
  const missing = await bench.capability();
  if (missing !== undefined) {
    console.log(`not run on this machine: ${missing}`);
    return;
  }
  const before = load();
  const commit = await commitNow();
  const { rows, lines, table, drawing } = await found(bench);
  for (const line of lines) console.log(line);
  const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown CPU'}, load ${before} before, ${load()} after`;
  const evidence = { bench: bench.name, peer: peers, commit, machine, node: process.version, rows };
  writeFileSync(`docs/evidence/bench-${bench.name}.json`, `${JSON.stringify(evidence, undefined, 2)}\n`);
  writeFileSync(`docs/evidence/bench-${bench.name}.svg`, drawing);
  intoPage(bench, table, `${machine}, commit ${commit}`);
}

function lineOf({ work, ours, peer, ratio, reach }: Row): string {
  const cost = ({ cpuMs, wallMs }: Cost) =>
    `CPU ${cpuMs.min} ms (median ${cpuMs.median}), wall ${wallMs.min} ms (median ${wallMs.median})`;
  return `${work}\n    kolla-pod ${cost(ours)}\n    peer      ${cost(peer)}\n    ratio     ${ratio}${verdict(ratio, reach)}`;
}

/** Load affects wall time, but not CPU time. */
function load(): string {
  return loadavg()[0]?.toFixed(1) ?? '?';
}

interface Found {
  readonly rows: readonly object[];
  readonly lines: readonly string[];
  /** Content of the page above the drawing. */
  readonly table: readonly string[];
  readonly drawing: string;
}

async function found(bench: Bench): Promise<Found> {
  const say = (text: string) => console.error(`  ${text}`);
  const compared = comparedIn(bench);
  if (bench.kind === 'figures') {
    const rows = await bench.run(say);
    const { draw = figureDrawing } = bench;
    return {
      rows,
      lines: rows.map((row) => figureLine(row, compared)),
      table: figureTable(rows, compared),
      drawing: draw(compared, rows),
    };
  }
  const rows = await bench.run(say);
  return { rows, lines: rows.map(lineOf), table: duelTable(rows), drawing: drawingOf(compared, rows) };
}

function duelTable(rows: readonly Row[]): string[] {
  return [
    'Minimum of the interleaved rounds, in ms.',
    '',
    '| work | kolla-pod CPU | peer CPU | ratio | kolla-pod wall | peer wall |',
    '|---|---|---|---|---|---|',
    ...rows.map(
      ({ work, ours, peer: theirs, ratio, reach }) =>
        `| ${work} | ${ours.cpuMs.min} | ${theirs.cpuMs.min} | ${ratio}${verdict(ratio, reach)} | ${ours.wallMs.min} | ${theirs.wallMs.min} |`,
    ),
  ];
}

function peersOf(bench: Bench): string {
  const { peer, other } = comparedIn(bench);
  return other === undefined ? peer : `${peer}, and ${other}`;
}

/** Writes a bench's table between its markers in the page. */
function intoPage(bench: Bench, table: readonly string[], where: string): void {
  const { name, title } = bench;
  const text = [
    '',
    `Compared with ${peersOf(bench)}; ${where}.`,
    '',
    ...table,
    '',
    `![${title}](../evidence/bench-${name}.svg)`,
    '',
  ].join('\n');
  const page = readFileSync(PAGE, 'utf8');
  const between = new RegExp(`(<!-- bench ${name} -->)[^]*?(<!-- end ${name} -->)`);
  if (!between.test(page))
    throw new Error(`${PAGE} has no place for ${name}: <!-- bench ${name} --> and <!-- end ${name} -->`);
  writeFileSync(
    PAGE,
    page.replace(between, (_, open: string, close: string) => `${open}\n${text}\n${close}`),
  );
}
