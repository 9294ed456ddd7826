import { LineRole, type Placed } from '../tables/scanner.ts';
import type { Content } from '../read/content.ts';
import { Mark } from '../position/progress.ts';
import type { OpenEvent, Touched } from './event.ts';
import type { Kept } from './kept.ts';

/** A line and its position. */
export interface Line {
  /** Without its line ending. The bytes are not overwritten. */
  readonly text: Buffer;
  readonly offset: number;
  readonly next: number;
  readonly skipping: boolean;
}

const NONE: readonly OpenEvent[] = [];
const NO_CUTS: ReadonlyMap<number, Content['cuts'][number]> = new Map();
/** Number of open events of a file above which events that no line can reach are ended. */
const MANY = 64;

/** The open events of one generation. */
export class Frame {
  readonly content: Content;
  /** The last event of each process that writes to the file. */
  readonly open = new Map<number, OpenEvent>();
  /** The last event in the file, unless it has ended. */
  last: OpenEvent | undefined;
  /** The offset after the last line. */
  next: number;
  /** The previous generation, as long as this one may continue its open events. */
  before: Frame | undefined;
  /** The event that continues from the previous generation. */
  carried: OpenEvent | undefined;
  /** The offset up to which that event continues, as an earlier run has decided. */
  carriedTo: number | undefined;
  /** The reading round of the last line, and the last round without a line. */
  touchedRound = -1;
  quietRound = -1;
  /** Events that ended here, although an earlier run saw them continue in the next generation. */
  readonly promised = new Set<OpenEvent>();
  /** The open events that are with the table, for lines in bulk. */
  kept: Kept | undefined;
  isActive = false;
  #many = MANY;
  /** Ends of events, by start offset, that an earlier run has decided. */
  readonly #cuts: ReadonlyMap<number, Content['cuts'][number]>;

  /** Cuts by process that no line has needed so far. */
  readonly #perhaps = new Map<number, Content['cuts'][number]>();

  constructor(content: Content, next: number, before: Frame | undefined) {
    this.content = content;
    this.next = next;
    this.before = before;
    // Of two cuts of one event, that of the later run takes precedence.
    this.#cuts = content.cuts.length === 0 ? NO_CUTS : new Map(content.cuts.map((cut) => [cut.start, cut]));
  }

  /** All events that may still grow. */
  held(): readonly OpenEvent[] {
    const { carried, promised } = this;
    const others = carried === undefined ? promised : [carried, ...promised];
    return [...others, ...this.open.values()];
  }

  get isHolding(): boolean {
    return this.open.size > 0 || this.promised.size > 0 || this.carried !== undefined || this.kept !== undefined;
  }

  /** Whether an earlier run saw lines of the event that have not been read yet. */
  expects(event: OpenEvent): boolean {
    if (event === this.carried) return this.carriedTo !== undefined && this.next < this.carriedTo;
    return event.onto !== undefined || (event.limit !== Infinity && event.limit > this.next);
  }

  /**
   * Whether lines from this offset on can be taken in bulk: no earlier run has decided where their events end, and they do
   * not continue a file that was rotated.
   */
  isPlainFrom(offset: number): boolean {
    const { cuts, generation } = this.content;
    const isCut = cuts.some(({ start, at }) => start >= offset || at > offset);
    return this.before === undefined && this.promised.size === 0 && offset >= generation.digestFrom && !isCut;
  }

  /** The processes of which a line must not be taken in bulk: an event of theirs is open, or may need a cut. */
  get processes(): readonly number[] {
    return [...this.open.keys(), ...this.#perhaps.keys()];
  }

  /** Whether a line that stands alone decides on cuts. */
  get mayNeedCuts(): boolean {
    return this.#perhaps.size > 0;
  }

  /** Adds a new event that may grow. */
  hold(event: OpenEvent): void {
    this.open.set(event.pid, event);
    this.last = event;
    const { cuts } = this.content;
    if (cuts.length === 0) return;
    // The reader cuts unfinished lines, and records the cut just before it passes such a line on.
    const newest = cuts.at(-1);
    const cut = newest?.start === event.offset ? newest : this.#cuts.get(event.offset);
    if (cut === undefined) return;
    event.limit = cut.at;
    event.onto = cut.onto;
  }

  /** Called when the event has ended or continues in another generation. */
  release(event: OpenEvent): void {
    this.promised.delete(event);
    if (this.open.get(event.pid) === event) this.open.delete(event.pid);
    if (this.last === event) this.last = undefined;
  }

  /** Records that a timeout has ended the event. */
  cut(event: OpenEvent): void {
    const cut = { start: event.offset, at: this.next };
    this.content.cuts.push(cut);
    this.#perhaps.set(event.pid, cut);
  }

  /**
   * Called for a line that starts the next event of a process. It would have ended the previous event too, so no cut is
   * needed.
   */
  ends(pid: number): void {
    const cut = this.#perhaps.get(pid);
    if (cut === undefined) return;
    this.#perhaps.delete(pid);
    const at = this.content.cuts.lastIndexOf(cut);
    if (at !== -1) this.content.cuts.splice(at, 1);
  }

  /** Called for a line that would have joined an event that a timeout has ended: the cut is needed. */
  needsCut(pid: number): void {
    this.#perhaps.delete(pid);
  }

  /** Same as needsCut(), for all processes. */
  needsCuts(): void {
    // clear() allocates a new table even for an empty map, and the old table keeps the new one alive.
    if (this.#perhaps.size > 0) this.#perhaps.clear();
  }

  /** Events that no line can reach any more, for the caller to end. None unless many events are open. */
  stale(): readonly OpenEvent[] {
    if (this.open.size < this.#many) return NONE;
    const stale = [...this.open.values()].filter((event) => !event.reaches(this.next));
    this.#many = Math.max(MANY, 2 * (this.open.size - stale.length));
    return stale;
  }
}

/**
 * An event may start in a rotated file and end in its successor: the successor's first lines may continue one event.
 * What this run decides is recorded as a Cut of the old generation, which a later run follows: the old file may grow
 * while the new one is read.
 * @returns `joined` if the line joined the event, `decided` if it did and there is a new Cut, `ended` if no event
 * continues
 */
export function carry(frame: Frame, line: Line, touched: Touched): 'joined' | 'decided' | 'ended' {
  const { carried } = frame;
  if (carried === undefined) return begin(frame, line, touched);
  const isPlanned = frame.carriedTo !== undefined;
  if (isPlanned ? line.offset >= frame.carriedTo! : !continues(frame, carried, line.text)) return 'ended';
  carried.join(line.text, line.next - line.offset, markOf(frame, line), touched);
  if (!isPlanned) carried.onto!.to = line.next;
  return 'joined';
}

/**
 * Ends the continued event, because a line does not belong to it, or because it was cut.
 * @param at the offset from which no line belongs to the event
 * @returns whether the end is new and must be recorded in the checkpoint
 */
export function endCarry(frame: Frame, at: number): boolean {
  const { carried, carriedTo } = frame;
  frame.before = undefined;
  frame.carried = undefined;
  if (carried === undefined || carriedTo !== undefined) return false;
  carried.onto!.to = at;
  return true;
}

function begin(frame: Frame, line: Line, touched: Touched): 'joined' | 'decided' | 'ended' {
  const before = frame.before!;
  const { id } = frame.content.generation;
  const planned = before.held().find(({ onto }) => onto?.generation === id);
  if (planned !== undefined && line.offset >= planned.onto!.to) return 'ended';
  const event = planned ?? openFor(frame, before, line.text);
  if (event === undefined) return 'ended';
  before.release(event);
  frame.carried = event;
  event.goOn(
    line.text,
    line.next - line.offset,
    frame.content.progress.begin(line.offset, markOf(frame, line)),
    touched,
  );
  if (planned !== undefined) {
    frame.carriedTo = planned.onto!.to;
    return 'joined';
  }
  event.onto = { generation: id, to: line.next };
  before.content.cuts.push({ start: event.offset, at: before.next, onto: event.onto });
  return 'decided';
}

/**
 * The event of the previous generation that this line continues. None if an earlier run has ended the event, or has
 * read this generation and may have sent the line separately.
 */
function openFor(frame: Frame, before: Frame, text: Buffer): OpenEvent | undefined {
  if (!frame.content.isNew) return undefined;
  const { role, pid } = placed(frame, text, before.last);
  const event = role === LineRole.follows ? before.last : before.open.get(pid);
  const isFree = event !== undefined && event.limit === Infinity && event.content === before.content;
  return isFree && continues(frame, event, text) ? event : undefined;
}

function continues(frame: Frame, event: OpenEvent, text: Buffer): boolean {
  const { role, pid } = placed(frame, text, event);
  if (!event.hasRoomFor(text)) return false;
  const { table } = frame.content.format;
  return (
    role === LineRole.follows || (role === LineRole.resumes && pid === event.pid && table.resumes(event.text, text))
  );
}

/** What a line is, if this is the last event before it in the file. The result is valid until the next call. */
export function placed({ content }: Frame, text: Buffer, last: OpenEvent | undefined): Placed {
  const { table, hasContinuations } = content.format;
  const before = hasContinuations ? last?.text : undefined;
  return table.place(text, content.undated.lastMs(content.timeMs), content.timeMs, before);
}

function markOf(frame: Frame, { next, skipping }: Line): Mark {
  return new Mark(next, skipping, frame.content.timeMs);
}
