/**
 * Exactly-once delivery over a long time: `make soak`. Defaults change by `SEED=n`, `KILLS=n`, `MINUTES=n`, `EVENTS=n`.
 *
 *   each fault of test/faults at full size, against a sink and a real Elasticsearch, and all of them together for ten
 *     minutes -> controls, which must duplicate lines -> docs/evidence/soak-log-ship.md
 *
 * A lost, duplicated or torn line makes it exit with 1 and the counts; it then writes no page.
 */
import { writeFileSync } from 'node:fs';
import { canRunElasticsearch9, startElasticsearch9 } from '../../test/cluster/elasticsearch-9.ts';
import { canRunElasticsearch, startElasticsearch } from '../../test/cluster/elasticsearch.ts';
import { canHaveSmallDisk } from '../../test/cluster/small-disk.ts';
import {
  allAtOnce,
  assertOnce,
  CONTROLS,
  dataStreamDestination,
  DISK_FAULTS,
  ELASTICSEARCH_FAULTS,
  elasticsearchDestination,
  ELASTICSEARCH_SETTINGS,
  FLOOD_STAGE,
  headOf,
  OPTION_FAULTS,
  KILL_FAULTS,
  PROCESS_FAULTS,
  ROLLOVERS,
  ROTATION_FAULTS,
  rowOf,
  runFault,
  SERVER_FAULTS,
  sinkDestination,
  WITHOUT_CHECKPOINT,
  type Happened,
  type Row,
  type Size,
} from '../../test/faults/index.ts';
import { commitNow } from '../../tools/commit.ts';

const SEED = Number(process.env['SEED'] || Math.floor(Date.now() / 1000));
const KILLS = Number(process.env['KILLS'] || 100);
const MINUTES = Number(process.env['MINUTES'] || 10);
const EVENTS = Number(process.env['EVENTS'] || 100_000);
const FULL: Size = { events: EVENTS, kills: KILLS, outageMs: 60_000, seed: SEED };

const began = performance.now();
const commit = await commitNow();
console.log(`log-ship: seed ${SEED}, ${KILLS} kills, ${MINUTES} min, commit ${commit}\n${headOf()}`);
const rows: Row[] = [];
const skipped: string[] = [];

// Concurrently: the long run mostly waits.
const [{ row, happened }] = await Promise.all([allAtOnce(MINUTES, SEED, console.log), oneByOne()]);
judged(row);
const controls = await controlRows();
writeFileSync('docs/evidence/soak-log-ship.md', page(rows, controls, happened));

async function oneByOne(): Promise<void> {
  await inSink();
  await inElasticsearch();
  await inDataStream();
}

async function inSink(): Promise<void> {
  const noDisk = await canHaveSmallDisk();
  if (noDisk !== undefined) skipped.push(noDisk);
  const onDisk = noDisk === undefined ? DISK_FAULTS : [];
  for (const fault of [
    ...SERVER_FAULTS,
    ...KILL_FAULTS,
    ...PROCESS_FAULTS,
    WITHOUT_CHECKPOINT,
    ...onDisk,
    ...ROTATION_FAULTS,
    ...OPTION_FAULTS,
  ]) {
    await using sink = await sinkDestination(SEED);
    judged(await runFault(fault, sink, FULL));
  }
}

async function inElasticsearch(): Promise<void> {
  const missing = await canRunElasticsearch();
  if (missing !== undefined) return void skipped.push(missing);
  await using server = await startElasticsearch({ settings: ELASTICSEARCH_SETTINGS });
  for (const [nth, fault] of [...ELASTICSEARCH_FAULTS, FLOOD_STAGE].entries())
    judged(await runFault(fault, elasticsearchDestination(server, `soak${nth}`), FULL));
}

async function inDataStream(): Promise<void> {
  const missing = await canRunElasticsearch9();
  if (missing !== undefined) return void skipped.push(missing);
  await using server = await startElasticsearch9();
  await using stream = await dataStreamDestination(server, 'logs-soak-default');
  judged(await runFault(ROLLOVERS, stream, FULL));
}

/** A few kills are enough for the expected failures. */
async function controlRows(): Promise<Row[]> {
  const found: Row[] = [];
  for (const control of CONTROLS) {
    await using sink = await sinkDestination(SEED);
    const one = await runFault(control, sink, { ...FULL, events: 20_000, kills: 5 });
    console.log(rowOf(one));
    if (one.doubled === 0) throw new Error(`${control.name}: no line is doubled, so the other rows show nothing`);
    found.push(one);
  }
  return found;
}

function judged(one: Row): void {
  console.log(rowOf(one));
  assertOnce(one);
  rows.push(one);
}

function page(all: readonly Row[], doubling: readonly Row[], { kills, stops, writersKilled, moods }: Happened): string {
  const minutes = Math.round((performance.now() - began) / 60_000);
  return [
    '# Every line once, at length',
    '',
    `Printed by \`make soak\` at commit ${commit}, in ${minutes} min; seed ${SEED}.`,
    '',
    'A writer of its own logs numbered events, and syncs beside the log how far it has come; `kolla-log-ship` runs as a process. Once a fault is',
    'over the shipper is stopped by SIGTERM, must end with 0, and is run once more. Then the server is asked for every document. Lost: written,',
    'and neither in the index nor a dead letter. Doubled: in two documents. Torn: a document that does not hold exactly the lines of one event.',
    '',
    headOf(),
    ...all.map(rowOf),
    '',
    `All at once: ${MINUTES} min, ${kills} SIGKILLs and ${stops} SIGTERMs of the shipper, ${writersKilled} of the writers, ${moods} moods of the server.`,
    '',
    'Controls, which must double lines: a server that ignores ids, and a state directory that is lost with its source id at each kill.',
    '',
    headOf(),
    ...doubling.map(rowOf),
    ...(skipped.length === 0 ? [] : ['', 'Not run on this machine:', '', ...skipped.map((reason) => `- ${reason}`)]),
    '',
  ].join('\n');
}
