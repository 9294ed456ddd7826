import { Place } from '../parse/format.ts';
import type { Content } from '../read/contents.ts';
import type { OpenEvent, Touched } from './event.ts';

/** A line and its place. */
export interface Line {
  readonly text: string;
  readonly offset: number;
  readonly next: number;
  readonly skipping: boolean;
}

const NONE: readonly OpenEvent[] = [];
/** Open events of one file before those are looked for that no line can reach any more. */
const MANY = 64;

/** What is open in one generation. */
export class Frame {
  readonly content: Content;
  /** The last event of each process that wrote to it. */
  readonly open = new Map<number, OpenEvent>();
  /** What was written last, unless it has ended. */
  last: OpenEvent | undefined;
  /** Behind the last line. */
  next: number;
  /** The generation before it, while only lines came that may belong to what is open there. */
  before: Frame | undefined;
  /** What of the generation before goes on in this one. */
  carried: OpenEvent | undefined;
  /** Up to where that goes, as an earlier run decided. */
  carriedTo: number | undefined;
  /** The last round of reading that brought a line, and the last that brought none. */
  touchedRound = -1;
  quietRound = -1;
  /** Ended here, but an earlier run saw that they go on in the next generation. */
  readonly promised = new Set<OpenEvent>();
  isActive = false;
  #many = MANY;
  /** Where events end, as an earlier run decided, by their beginnings. */
  readonly #cuts: ReadonlyMap<number, Content['cuts'][number]>;

  /** Cuts after which no line has come yet that they are needed for, by process. */
  readonly #perhaps = new Map<number, Content['cuts'][number]>();

  constructor(content: Content, next: number, before: Frame | undefined) {
    this.content = content;
    this.next = next;
    this.before = before;
    // Of two, the later run's.
    this.#cuts = new Map(content.cuts.map((cut) => [cut.start, cut]));
  }

  /** Everything that waits for further lines. */
  held(): readonly OpenEvent[] {
    const { carried, promised } = this;
    const others = carried === undefined ? promised : [carried, ...promised];
    return [...others, ...this.open.values()];
  }

  get isHolding(): boolean {
    return this.open.size > 0 || this.promised.size > 0 || this.carried !== undefined;
  }

  /** Whether an earlier run saw lines of the event that have not come yet. */
  expects(event: OpenEvent): boolean {
    if (event === this.carried) return this.carriedTo !== undefined && this.next < this.carriedTo;
    return event.onto !== undefined || (event.limit !== Infinity && event.limit > this.next);
  }

  /** It was begun, and may be joined. */
  hold(event: OpenEvent): void {
    this.open.set(event.pid, event);
    this.last = event;
    const { cuts } = this.content;
    if (cuts.length === 0) return;
    // The reader cuts unfinished lines, and says so right before it brings one.
    const newest = cuts.at(-1);
    const cut = newest?.start === event.offset ? newest : this.#cuts.get(event.offset);
    if (cut === undefined) return;
    event.limit = cut.at;
    event.onto = cut.onto;
  }

  /** It has ended, or goes on elsewhere. */
  release(event: OpenEvent): void {
    this.promised.delete(event);
    if (this.open.get(event.pid) === event) this.open.delete(event.pid);
    if (this.last === event) this.last = undefined;
  }

  /** The clock ends an event here: the checkpoint must hold that. */
  cut(event: OpenEvent): void {
    const cut = { start: event.offset, at: this.next };
    this.content.cuts.push(cut);
    this.#perhaps.set(event.pid, cut);
  }

  /** A line begins the next event of a process, and would have ended the last one by itself: no cut is needed there. */
  ends(pid: number): void {
    const cut = this.#perhaps.get(pid);
    if (cut === undefined) return;
    this.#perhaps.delete(pid);
    const at = this.content.cuts.lastIndexOf(cut);
    if (at !== -1) this.content.cuts.splice(at, 1);
  }

  /** A line came that would have joined what the clock has ended. */
  needsCut(pid: number): void {
    this.#perhaps.delete(pid);
  }

  /** The same, of whatever process. */
  needsCuts(): void {
    // A map that is cleared takes a new table, even when it was empty, and the old one keeps it alive.
    if (this.#perhaps.size > 0) this.#perhaps.clear();
  }

  /** Now and then: what no line can reach any more. */
  stale(): readonly OpenEvent[] {
    if (this.open.size < this.#many) return NONE;
    const stale = [...this.open.values()].filter((event) => !event.reaches(this.next));
    this.#many = Math.max(MANY, 2 * (this.open.size - stale.length));
    return stale;
  }
}

/**
 * An event may begin in a file that was rotated away, and end in its successor. One can: what the successor's very first
 * lines go on with. That they do is a decision of this run, as the old file may grow while the new one is read; so it is a
 * Cut of the old generation, and a later run does what it says.
 * @returns whether the line joined, with a cut that is new in `decided`, or that what was carried has ended
 */
export function carry(frame: Frame, line: Line, touched: Touched): 'joined' | 'decided' | 'ended' {
  const { carried } = frame;
  if (carried === undefined) return begin(frame, line, touched);
  const isPlanned = frame.carriedTo !== undefined;
  if (isPlanned ? line.offset >= frame.carriedTo! : !continues(frame, carried, line.text)) return 'ended';
  carried.join(line.text, markOf(frame, line), touched);
  if (!isPlanned) carried.onto!.to = line.next;
  return 'joined';
}

/**
 * A line came that does not belong to what was carried, or it was cut.
 * @param at no line from here on belongs to it
 * @returns whether that is new, so that the checkpoint must hold it
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
  event.goOn(line.text, frame.content.progress.begin(line.offset, markOf(frame, line)), touched);
  if (planned !== undefined) {
    frame.carriedTo = planned.onto!.to;
    return 'joined';
  }
  event.onto = { generation: id, to: line.next };
  before.content.cuts.push({ start: event.offset, at: before.next, onto: event.onto });
  return 'decided';
}

/** What an earlier run has decided stays so: what it ended, and lines that it may have sent by themselves. */
function openFor(frame: Frame, before: Frame, text: string): OpenEvent | undefined {
  const { isNew, parser } = frame.content;
  if (!isNew) return undefined;
  const { format } = parser;
  const place = format.place(text, before.last?.text);
  const event = place === Place.follows ? before.last : before.open.get(format.pid);
  const isFree = event !== undefined && event.limit === Infinity && event.content === before.content;
  return isFree && continues(frame, event, text) ? event : undefined;
}

function continues(frame: Frame, event: OpenEvent, text: string): boolean {
  const { format } = frame.content.parser;
  const place = format.place(text, event.text);
  if (!event.hasRoomFor(text)) return false;
  return (
    place === Place.follows || (place === Place.resumes && format.pid === event.pid && format.resumes(event.text, text))
  );
}

function markOf(frame: Frame, { next, skipping }: Line) {
  return { offset: next, skipping, timeMs: frame.content.timeMs };
}
