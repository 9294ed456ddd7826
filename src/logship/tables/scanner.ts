import type { Table } from './items.ts';
import type { Layout } from './layout.ts';
import type { ZoneTable } from '../time/zone-table.ts';

/** How a line relates to the lines before it. */
export const LineRole = {
  /** A complete event, which no other line joins. */
  alone: 0,
  /** Starts an event, and ends the previous one of the same process. */
  begins: 1,
  /** Belongs to the last event in the file. If that event has ended, the line is an event that no other line joins. */
  follows: 2,
  /** Belongs to the last event of the same process if `resumes` confirms it; otherwise it starts an event. */
  resumes: 3,
} as const;
export type LineRole = (typeof LineRole)[keyof typeof LineRole];

/** What a table says of one line. The object is reused by the next call. */
export interface Placed {
  readonly role: LineRole;
  /** ID of the process that wrote the line; 0 if the format names none. */
  readonly pid: number;
  /** Its timestamp in milliseconds since the epoch; NaN if it has none. */
  readonly timeMs: number;
}

/** Why a scan stopped before the end of its lines. */
export const Stop = {
  /** All lines are taken. */
  end: 0,
  /** The request is full. */
  full: 1,
  /** The next line needs the caller: take() the open events, then handle the line. So does one that begins an event far from `nearMs`. */
  line: 2,
  /** The next line ends an event of process `stopAt` that the caller holds. */
  held: 3,
  /** An event of the day `stopAt` (days since the epoch, UTC) needs an opening. */
  day: 4,
  /** Too many events are open: take() them. */
  many: 5,
} as const;
export type Stop = (typeof Stop)[keyof typeof Stop];

/** Lines of one read of a file, and where their documents go. Inputs are set by the caller, results by `scan`. */
export interface Block {
  /** Complete lines are the bytes from `at` to `end`, the last of which is a newline. */
  chunk: Buffer;
  at: number;
  end: number;
  /** The offset of the chunk's first byte in its generation. */
  base: number;
  /** Timestamp of the last dated line, NaN if there is none; see inOrder. Updated by `scan`. */
  lastMs: number;
  /** For timestamps without a year: the time of the line before, or when the file was first seen. Updated by `scan`. */
  nearMs: number;
  /** The time of lines without one, until a dated line is taken; NaN if they need the caller. */
  undatedMs: number;
  /** Days since the epoch: after a dated line, lines without a time have its time if that is of this day. */
  undatedDay: number;
  /** Longer lines need the caller. */
  maxLineBytes: number;
  /** The processes whose events the caller holds open. */
  held: readonly number[];
  /** Whether the last event in the file is the caller's. Updated by `scan`. */
  isLastHeld: boolean;
  /** Whether a line that stands alone needs the caller. */
  aloneStops: boolean;
  /** The generation's name in ids, 12 characters. */
  name: string;
  /**
   * What precedes the name in the documents of a day (days since the epoch, UTC), as bytes. At most 4 days. Undefined if
   * documents have neither this nor an ID.
   */
  openings: readonly { readonly day: number; readonly bytes: Buffer }[] | undefined;
  /** The request, filled up to `filled`, which `scan` updates. */
  into: Buffer;
  filled: number;
  /** Maximum number of documents that this call may write. */
  most: number;
  // Results of the last call.
  /** Number of documents written, and the lines in them. */
  documents: number;
  lines: number;
  /** The smallest offset at which one of them starts. */
  firstOffset: number;
  /** The largest offset after the last line of one of them, and the time of the last dated line before that. */
  endOffset: number;
  endMs: number;
  /** Number of lines taken, written or open. */
  taken: number;
  /** Whether any line was dated, the offset of the last undated line before that (-1: none), and whether one came after. */
  isDated: boolean;
  undatedOffset: number;
  isUndatedLater: boolean;
  stopAt: number;
}

/** An event that is still open at the end of a block. */
export interface Opened {
  /** The offset of its first line, and the offset after its last line. */
  readonly offset: number;
  readonly endOffset: number;
  /** The time of the last dated line before endOffset. */
  readonly endMs: number;
  readonly pid: number;
  readonly timeMs: number;
  readonly isDated: boolean;
  readonly lines: number;
  /** The size of its lines with their line endings. */
  readonly heldBytes: number;
  /** Its lines without line endings, joined by newlines. */
  readonly text: Buffer;
  /** Whether it is the last event in the file. */
  readonly isLast: boolean;
}

/** The table of a format with the layout of its documents, for the files that have both in common. */
export interface LineTable extends Disposable {
  /**
   * What a line is that the caller frames itself.
   * @param lastMs see inOrder
   * @param nearMs for a timestamp without a year
   * @param last whether an event is open before it in the file; its text
   */
  place(line: Buffer, lastMs: number, nearMs: number, last: Buffer | undefined): Placed;
  /** Whether a line that `resumes` belongs to an event of its process. */
  resumes(event: Buffer, line: Buffer): boolean;
  /**
   * Writes an event's document, without a newline, at that index.
   * @param isDated whether timeMs is the event's own
   * @returns the index after it; 0 if there is no room
   */
  document(into: Buffer, at: number, text: Buffer, timeMs: number, isDated: boolean): number;
  /**
   * Takes lines until it must stop. Events that are open stay with the table until take(). At the end, those that no later line reaches
   * are written.
   */
  scan(block: Block): Stop;
  /**
   * Copies what is needed of the chunk, so that the open events stay with the table while it is overwritten: the next scan goes on
   * where the last one has ended, in the same generation.
   * @returns the size of the open events' lines; 0 if none is open
   */
  keep(): number;
  /** The smallest offset at which an open event starts; NaN if none is open. */
  keptFrom(): number;
  /** Hands over the open events, in order of their offsets. Called before the chunk is overwritten. */
  take(): readonly Opened[];
}

/** Opens a table: the twin of each engine exports it, and the digest of a line: see line-digest.ts. */
export type OpenTable = (table: Table, layout: Layout, zone: ZoneTable) => LineTable;
