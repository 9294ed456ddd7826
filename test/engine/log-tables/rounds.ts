/**
 * What an engine makes of a text, by a seed: its requests, its results, what it leaves open. The two engines must agree.
 */
import { digest, openTable } from '#log-tables';
import { FORMATS } from '../../../src/logship/formats/index.ts';
import { layoutOf, type SchemaName } from '../../../src/logship/formats/schema.ts';
import { Stop, type Block, type LineTable } from '../../../src/logship/tables/scanner.ts';
import type { ZoneTable } from '../../../src/logship/time/zone-table.ts';
import { DOCUMENTED_LINES } from '../../logship/documented-lines.ts';
import { numbersFrom } from '../../support/random.ts';
import { COMMON, textOf } from './lines.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = Date.UTC(2026, 10, 20, 9);
const NAME = 'abcdefgh1234';
const SCHEMAS: readonly SchemaName[] = ['kolla', 'ecs', 'raw'];
const ZONES: readonly ZoneTable[] = [
  Float64Array.of(-Infinity, 0),
  Float64Array.of(-Infinity, 5.5 * HOUR_MS),
  // Central Europe in 2026.
  Float64Array.of(-Infinity, HOUR_MS, Date.UTC(2026, 2, 29, 1), 2 * HOUR_MS, Date.UTC(2026, 9, 25, 1), HOUR_MS),
];
/** Lines of the formats. */
const SAMPLES: Readonly<Record<string, readonly string[]>> = DOCUMENTED_LINES;
const FORMAT_NAMES = Object.keys(FORMATS) as (keyof typeof FORMATS)[];

/** A format with a layout and a zone, lines of it, and what is left to be drawn. */
export function drawn(seed: number) {
  const pick = numbersFrom(seed);
  const format = FORMAT_NAMES[pick(FORMAT_NAMES.length)]!;
  const schema = SCHEMAS[pick(SCHEMAS.length)]!;
  const { table } = FORMATS[format];
  const layout = layoutOf(schema, table, {
    hostname: 'höst',
    pod: 'pod-1',
    namespace: 'openstack',
    node: undefined,
    labels: { 'app.kubernetes.io/name': 'nova' },
    path: `/var/log/kolla/nova/${format}.log`,
    kind: { format, directory: 'nova', program: 'nova-api', hasLogger: true },
  });
  const zone = ZONES[pick(ZONES.length)]!;
  const text = textOf(SAMPLES[format] ?? COMMON, pick(2 ** 30), pick(10) === 0 ? 1500 : 60);
  return { name: `${format} ${schema}`, table, layout, zone, text, pick };
}

/** Everything that one round yields, to be compared as text. */
export function round(seed: number): readonly string[] {
  const { name, table, layout, zone, text, pick } = drawn(seed);
  using lines = openTable(table, layout, zone);
  const said = [name, digest(text.subarray(pick(text.length)))];
  scanned(lines, text, pick, said);
  return said;
}

export type Pick = (below: number) => number;

/** Scans a text in chunks, which end with a line. */
export function scanned(lines: LineTable, text: Buffer, pick: Pick, said: string[]): void {
  let base = pick(2) === 0 ? 0 : pick(2 ** 31) * 1000;
  const block = newBlock(pick);
  for (let at = 0; at < text.length;) {
    const end = endOfLine(text, Math.min(text.length - 1, at + pick(pick(2) === 0 ? 300 : 30_000)));
    block.chunk = Buffer.from(text.subarray(at, end));
    block.base = base;
    block.at = 0;
    while (block.at < block.chunk.length) step(lines, block, pick, said);
    if (pick(3) === 0) takeAll(lines, block, said);
    else keep(lines, block, pick, said);
    base += end - at;
    at = end;
  }
  takeAll(lines, block, said);
  flush(block, said);
}

function endOfLine(text: Buffer, from: number): number {
  let at = from;
  while (text[at] !== 10) at++;
  return at + 1;
}

function newBlock(pick: Pick): Block {
  return {
    chunk: Buffer.alloc(0),
    at: 0,
    end: 0,
    base: 0,
    lastMs: pick(2) === 0 ? NaN : NOW_MS - pick(2 * DAY_MS),
    nearMs: pick(20) === 0 ? NaN : NOW_MS - pick(400) * DAY_MS,
    undatedMs: pick(4) === 0 ? NaN : NOW_MS + pick(2),
    undatedDay: pick(2) === 0 ? NaN : Math.floor(NOW_MS / DAY_MS),
    maxLineBytes: pick(3) === 0 ? 100 : 1_000_000,
    held: Array.from({ length: pick(5) === 0 ? pick(30) : 0 }, () => pick(20)),
    isLastHeld: pick(8) === 0,
    aloneStops: pick(8) === 0,
    name: NAME,
    openings: pick(5) === 0 ? undefined : [],
    into: Buffer.alloc(pick(4) === 0 ? pick(3000) : 200_000),
    filled: 0,
    most: 0,
    documents: 0,
    lines: 0,
    firstOffset: 0,
    endOffset: 0,
    endMs: 0,
    taken: 0,
    isDated: false,
    undatedOffset: -1,
    isUndatedLater: false,
    stopAt: 0,
  };
}

/** One call, up to some line, and what the caller does at its stop. */
function step(lines: LineTable, block: Block, pick: Pick, said: string[]): void {
  block.end =
    pick(2) === 0
      ? block.chunk.length
      : endOfLine(block.chunk, Math.min(block.chunk.length - 1, block.at + pick(2000)));
  block.most = pick(3) === 0 ? 1 + pick(5) : 1000;
  const stop = lines.scan(block);
  said.push(JSON.stringify([stop, block.at, block.taken, block.lastMs, block.nearMs, block.isLastHeld, block.filled]));
  said.push(JSON.stringify([block.isDated, block.undatedOffset, block.isUndatedLater, block.documents, block.lines]));
  if (block.documents > 0) said.push(JSON.stringify([block.firstOffset, block.endOffset, block.endMs]));
  if (stop === Stop.line) handle(lines, block, said);
  if (stop === Stop.full) flush(block, said, block.documents === 0);
  if (stop === Stop.many) takeAll(lines, block, said);
  if (stop === Stop.held) block.held = block.held.filter((process) => process !== block.stopAt);
  if (stop === Stop.day) {
    const bytes = Buffer.from(`{"create":{"_index":"i-${block.stopAt}","_id":"`);
    block.openings = [{ day: block.stopAt, bytes }, ...block.openings!].slice(0, 4);
  }
}

/** What was written so far, and a larger request if not even one document fits. */
function flush(block: Block, said: string[], isLarger = false): void {
  said.push(block.into.toString('utf8', 0, block.filled));
  if (isLarger && block.filled === 0) block.into = Buffer.alloc(2 * block.into.length + 1000);
  block.filled = 0;
}

/** The end of a chunk, which is overwritten: the next scan, or take(), goes on with the copies. */
function keep(lines: LineTable, block: Block, pick: Pick, said: string[]): void {
  said.push(JSON.stringify([lines.keep(), lines.keptFrom()]));
  block.chunk.fill(0);
  if (pick(8) === 0) takeAll(lines, block, said);
}

function takeAll(lines: LineTable, block: Block, said: string[]): void {
  for (const { text, ...event } of lines.take()) {
    said.push(JSON.stringify(event), text.toString());
    document(lines, text, event.timeMs, block, said);
  }
}

/** A line that the caller frames itself. */
function handle(lines: LineTable, block: Block, said: string[]): void {
  const end = endOfLine(block.chunk, block.at);
  const line = block.chunk.subarray(block.at, block.chunk[end - 2] === 13 && end - 2 >= block.at ? end - 2 : end - 1);
  const events = lines.take();
  for (const event of events) document(lines, event.text, event.timeMs, block, said);
  const last = events.find(({ isLast }) => isLast)?.text;
  const placed = { ...lines.place(line, block.lastMs, block.nearMs, last) };
  said.push(JSON.stringify([placed, events.length]));
  // Lines far from the one before are the caller's, so that it would have all of them.
  if (!Number.isNaN(placed.timeMs)) block.lastMs = block.nearMs = placed.timeMs;
  for (const { text } of events) said.push(String(lines.resumes(text, line)));
  document(lines, line, NOW_MS, block, said);
  block.at = end;
  block.isLastHeld = false;
  block.aloneStops = false;
}

function document(lines: LineTable, text: Buffer, timeMs: number, { into, filled }: Block, said: string[]): void {
  const end = lines.document(into, filled, text, timeMs, true);
  said.push(end === 0 ? 'no room' : into.toString('utf8', filled, end));
}
