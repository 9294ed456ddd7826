/** src/logship/tables/reference/on-node.ts by kolla-core's host, which interprets the tables' bytes. */
import { compile } from '../logship/tables/compile.ts';
import type { Table } from '../logship/tables/items.ts';
import { layoutBytes } from '../logship/tables/layout.ts';
import type { Block, LineRole, LineTable, Opened, OpenTable, Placed, Stop } from '../logship/tables/scanner.ts';
import type { ZoneTable } from '../logship/time/zone-table.ts';
import type { LogFile, LogTable, LogZone } from './runtime/sys.ts';

/** Indexes of `numbers`, as in native/log.h. First what a scan gets ... */
const AT = 0;
const END = 1;
const BASE = 2;
const LAST_MS = 3;
const NEAR_MS = 4;
const UNDATED_MS = 5;
const UNDATED_DAY = 6;
const MAX_LINE = 7;
const IS_LAST_HELD = 8;
const ALONE_STOPS = 9;
const FILLED = 10;
const MOST = 11;
const HELD = 12;
/** ... and then its results. */
const DOCUMENTS = 13;
const LINES = 14;
const FIRST_OFFSET = 15;
const END_OFFSET = 16;
const END_MS = 17;
const IS_DATED = 18;
const UNDATED_OFFSET = 19;
const IS_UNDATED_LATER = 20;
const STOP_AT = 21;
const TAKEN = 22;
/** From here on the processes that the caller holds. */
const PROCESSES = 23;

/** Of all files, since each call is complete. */
let numbers = new Float64Array(PROCESSES + 16);

const tables = new WeakMap<Table, LogTable>();
const zones = new WeakMap<ZoneTable, LogZone>();

/** What the host has checked is shared by files with the same format and zone. */
function kept<K extends WeakKey, V>(known: WeakMap<K, V>, key: K, make: () => V): V {
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
}

/** A file of the host's, which is closed with it. */
export class HostTable implements LineTable {
  readonly #file: LogFile;
  readonly #placed: { role: LineRole; pid: number; timeMs: number } = { role: 0, pid: 0, timeMs: NaN };
  /** That of the last scan, while the host may have open events in it. */
  #chunk: Buffer | undefined;

  constructor(file: LogFile) {
    this.#file = file;
  }

  place(line: Buffer, lastMs: number, nearMs: number, last: Buffer | undefined): Placed {
    numbers[0] = lastMs;
    numbers[1] = nearMs;
    this.#placed.role = sys.logPlace(this.#file, numbers.buffer, line, last) as LineRole;
    this.#placed.pid = numbers[0];
    this.#placed.timeMs = numbers[1];
    return this.#placed;
  }

  resumes(event: Buffer, line: Buffer): boolean {
    return sys.logResumes(this.#file, event, line);
  }

  document(into: Buffer, at: number, text: Buffer, timeMs: number): number {
    return sys.logDocument(this.#file, into, at, text, timeMs);
  }

  scan(block: Block): Stop {
    this.#chunk = block.chunk;
    write(block);
    const stop = sys.logScan(this.#file, numbers.buffer, block.chunk, block.into, block.openings, block.name) as Stop;
    read(block);
    return stop;
  }

  keep(): number {
    const bytes = sys.logKeep(this.#file);
    this.#chunk = undefined;
    return bytes;
  }

  keptFrom(): number {
    return sys.logKeptFrom(this.#file);
  }

  take(): readonly Opened[] {
    const events = sys.logTake(this.#file, this.#chunk);
    this.#chunk = undefined;
    return events
      .map(([offset, endOffset, endMs, pid, timeMs, isDated, lines, heldBytes, isLast, text]) => ({
        offset,
        endOffset,
        endMs,
        pid,
        timeMs,
        isDated: isDated === 1,
        lines,
        heldBytes,
        text: Buffer.from(text),
        isLast: isLast === 1,
      }))
      .toSorted((one, other) => one.offset - other.offset);
  }

  [Symbol.dispose](): void {
    sys.logClose(this.#file);
  }
}

function write(block: Block): void {
  const { held } = block;
  if (held.length > numbers.length - PROCESSES) numbers = new Float64Array(PROCESSES + 2 * held.length);
  numbers[AT] = block.at;
  numbers[END] = block.end;
  numbers[BASE] = block.base;
  numbers[LAST_MS] = block.lastMs;
  numbers[NEAR_MS] = block.nearMs;
  numbers[UNDATED_MS] = block.undatedMs;
  numbers[UNDATED_DAY] = block.undatedDay;
  numbers[MAX_LINE] = block.maxLineBytes;
  numbers[IS_LAST_HELD] = block.isLastHeld ? 1 : 0;
  numbers[ALONE_STOPS] = block.aloneStops ? 1 : 0;
  numbers[FILLED] = block.filled;
  numbers[MOST] = block.most;
  numbers[HELD] = held.length;
  numbers.set(held, PROCESSES);
}

function read(block: Block): void {
  block.at = numbers[AT]!;
  block.lastMs = numbers[LAST_MS]!;
  block.nearMs = numbers[NEAR_MS]!;
  block.isLastHeld = numbers[IS_LAST_HELD] === 1;
  block.filled = numbers[FILLED]!;
  block.documents = numbers[DOCUMENTS]!;
  block.lines = numbers[LINES]!;
  block.firstOffset = numbers[FIRST_OFFSET]!;
  block.endOffset = numbers[END_OFFSET]!;
  block.endMs = numbers[END_MS]!;
  block.isDated = numbers[IS_DATED] === 1;
  block.undatedOffset = numbers[UNDATED_OFFSET]!;
  block.isUndatedLater = numbers[IS_UNDATED_LATER] === 1;
  block.stopAt = numbers[STOP_AT]!;
  block.taken = numbers[TAKEN]!;
}

/** See OpenTable. The table and the zone must not change. */
export const openTable: OpenTable = (table, layout, zone) =>
  new HostTable(
    sys.logOpen(
      kept(tables, table, () => sys.logTable(compile(table))),
      kept(zones, zone, () => sys.logZone(new Uint8Array(zone.buffer, zone.byteOffset, zone.byteLength))),
      layoutBytes(layout, table),
    ),
  );

/** See lineDigest of src/logship/tables/line-digest.ts. */
export function digest(line: Buffer): string {
  return sys.logDigest(line);
}
