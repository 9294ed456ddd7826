import type { Content } from '../read/content.ts';
import type { TakeLine, TakeMany } from '../read/take-line.ts';
import { Mark } from '../position/progress.ts';
import { LineRole } from '../tables/scanner.ts';
import { Bulk, type BulkSink } from './bulk.ts';
import { OpenEvent, type LogEvent } from './event.ts';
import { carry, endCarry, placed, type Frame, type Line } from './frame.ts';
import { Frames } from './frames.ts';

const CARRIAGE_RETURN = 13;
/** Minimum interval between cuts by timeout, since they require a checkpoint. */
const CUT_EVERY_MS = 1000;

interface FramerOptions {
  /** Receives each complete event and must not keep it. */
  readonly emit: (event: LogEvent) => void;
  /** Tracks the number of bytes in open events. */
  readonly held: { take(bytes: number): void; give(bytes: number): void };
  /** An event ends after this time without a line, if its file has no unread lines. */
  readonly timeoutMs: number;
  readonly now: () => number;
  /** Receives the documents of lines that are taken in bulk. Without it, each line is taken by itself. */
  readonly bulk?: BulkSink | undefined;
}

/** A line and what it is. */
interface PlacedLine extends Line {
  readonly pid: number;
  /** NaN if the line has no time. */
  readonly timeMs: number;
}

/**
 * Builds events from lines. The end of an event depends only on its own and the following lines, so that a second
 * reading from any mark yields the same events. Ends by timeout are recorded as Cuts.
 */
export class Framer {
  readonly take: TakeLine;
  readonly #options: FramerOptions;
  readonly #frames = new Frames((frame) => this.#bulk?.release(frame));
  readonly #bulk: Bulk | undefined;
  /** Frames that have open events. */
  readonly #active = new Set<Frame>();
  readonly #touched: { ms: number; round: number };
  #frame: Frame | undefined;
  #cutMs = -Infinity;
  #cuts = 0;
  #heldBytes = 0;

  constructor(options: FramerOptions) {
    this.#options = options;
    this.#touched = { ms: options.now(), round: 0 };
    this.#bulk =
      options.bulk &&
      new Bulk(options.bulk, options.now, {
        close: (frame, event) => this.#close(frame, event),
        open: (frame, event) => this.#open(frame, event),
        hold: (frame, bytes) => {
          this.#activate(frame);
          this.#hold(bytes);
        },
      });
    this.take = Object.assign(this.#take.bind(this), { many: this.#many(this.#bulk), hasRoom: options.bulk?.hasRoom });
  }

  /** The number of bytes in open events. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** The number of cuts. The checkpoint must record each before the next document is sent. */
  get cuts(): number {
    return this.#cuts;
  }

  #take(...[content, chunk, offset, next, skipping, start = 0, to = chunk.length]: Parameters<TakeLine>): void {
    const frame = this.#frameOf(content, offset);
    this.#bulk?.release(frame);
    const end = to > start && chunk[to - 1] === CARRIAGE_RETURN ? to - 1 : to;
    // The event may be open when the next read overwrites the chunk.
    this.#place(frame, Buffer.from(chunk.subarray(start, end)), offset, next, skipping);
    frame.next = next;
    frame.touchedRound = this.#touched.round;
  }

  #frameOf(content: Content, offset: number): Frame {
    if (this.#frame?.content !== content) this.#frame = this.#frames.of(content, offset);
    return this.#frame;
  }

  #many(bulk: Bulk | undefined): TakeMany | undefined {
    if (bulk === undefined) return undefined;
    return (content, chunk, position, start, end) => {
      const frame = this.#frameOf(content, position + start);
      frame.touchedRound = this.#touched.round;
      return bulk.take(frame, this.#touched, chunk, position, start, end);
    };
  }

  /** Ends events whose timeout has expired. Called after each round that has read all files. */
  sweep(): void {
    const ms = this.#options.now();
    const { round } = this.#touched;
    const mayCut = Math.abs(ms - this.#cutMs) >= CUT_EVERY_MS;
    const { cuts } = this;
    for (const frame of this.#active) {
      if (frame.touchedRound !== round) {
        frame.quietRound = round;
        this.#bulk?.release(frame);
      }
      for (const event of mayCut ? frame.held() : []) {
        const isQuiet = event.touchedRound < frame.quietRound && this.#isLate(ms - event.touchedMs);
        const isStale = event.onto === undefined && !event.reaches(frame.next);
        if (isQuiet || isStale) this.#cut(frame, event);
      }
      this.#settle(frame);
    }
    if (this.#cuts !== cuts) this.#cutMs = ms;
    this.#touched.ms = ms;
    this.#touched.round = round + 1;
  }

  /** Ends all events, because nothing more will be read. */
  cut(): void {
    this.#cutAll(() => true);
  }

  /** Ends open events to free memory for reading. */
  relieve(): void {
    const cuts = this.#cuts;
    // An earlier run may have sent these events together with lines that are still to be read, so they are kept if
    // possible.
    this.#cutAll((frame, event) => !frame.expects(event));
    if (this.#cuts === cuts) this.cut();
  }

  #cutAll(isMeant: (frame: Frame, event: OpenEvent) => boolean): void {
    for (const frame of this.#active) {
      this.#bulk?.release(frame);
      for (const event of frame.held()) if (isMeant(frame, event)) this.#cut(frame, event);
      this.#settle(frame);
    }
  }

  /** A clock set back must not hold events forever. */
  #isLate(ms: number): boolean {
    return Math.abs(ms) >= this.#options.timeoutMs;
  }

  #place(frame: Frame, text: Buffer, offset: number, next: number, skipping: boolean): void {
    if (frame.before !== undefined && this.#goesOn(frame, { text, offset, next, skipping })) return;
    let { last } = frame;
    if (last?.reaches(offset) === false) {
      this.#close(frame, last);
      last = undefined;
    }
    const { role, pid, timeMs } = placed(frame, text, last);
    const line: PlacedLine = { text, offset, next, skipping, pid, timeMs };
    switch (role) {
      case LineRole.begins:
        frame.ends(pid);
        return this.#begin(frame, line);
      case LineRole.resumes: {
        const event = frame.open.get(pid);
        const { table } = frame.content.format;
        if (event !== undefined && event.reaches(offset) && event.hasRoomFor(text) && table.resumes(event.text, text))
          return this.#join(frame, event, line);
        frame.needsCut(pid);
        return this.#begin(frame, line);
      }
      case LineRole.follows:
        if (last?.hasRoomFor(text) === true) return this.#join(frame, last, line);
        return this.#pass(frame, line);
      case LineRole.alone:
        return this.#pass(frame, line);
    }
  }

  #begin(frame: Frame, line: PlacedLine): void {
    this.#open(frame, this.#event(frame.content, line));
  }

  #open(frame: Frame, event: OpenEvent): void {
    const before = frame.open.get(event.pid);
    frame.hold(event);
    // Reuses the entry of the map. With a deletion per line V8 would rebuild the map every few lines, and each old
    // table in the old generation of the heap would keep the next table and all its events alive.
    if (before !== undefined) this.#close(frame, before);
    this.#hold(event.heldBytes);
    this.#activate(frame);
    for (const stale of frame.stale()) this.#close(frame, stale);
  }

  #join(frame: Frame, event: OpenEvent, { text, offset, next, skipping }: Line): void {
    event.join(text, next - offset, new Mark(next, skipping, frame.content.timeMs), this.#touched);
    frame.last = event;
    this.#hold(next - offset);
  }

  /** Emits a line as an event that no further line can join. */
  #pass(frame: Frame, line: PlacedLine): void {
    if (frame.last !== undefined) this.#close(frame, frame.last);
    frame.needsCuts();
    this.#options.emit(this.#event(frame.content, line));
  }

  /** The timestamp depends only on the first line and the lines before it, not on when the event ends. */
  #event(content: Content, { text, offset, next, skipping, pid, timeMs: ownMs }: PlacedLine): OpenEvent {
    const { undated } = content;
    const isDated = undated.believes(ownMs, offset, content.timeMs);
    if (isDated) this.#date(content, ownMs);
    const timeMs = isDated ? ownMs : undated.timeAt(offset, content.timeMs, this.#options.now());
    const span = content.progress.begin(offset, new Mark(next, skipping, content.timeMs));
    return new OpenEvent(content, span, { timeMs, isDated, pid, text }, this.#touched);
  }

  #date(content: Content, timeMs: number): void {
    content.timeMs = content.undated.after(timeMs, content.timeMs);
    content.undated.dated();
  }

  /** Handles one of a generation's first lines, which may continue an open event of the previous generation. */
  #goesOn(frame: Frame, line: Line): boolean {
    const isNew = frame.carried === undefined;
    const result = carry(frame, line, this.#touched);
    if (result === 'decided') this.#cuts++;
    if (result !== 'ended') {
      if (isNew) this.#activate(frame);
      this.#hold(line.next - line.offset);
      return true;
    }
    this.#endCarry(frame, line.offset);
    return false;
  }

  #endCarry(frame: Frame, at: number): void {
    const { carried } = frame;
    if (endCarry(frame, at)) this.#cuts++;
    if (carried !== undefined) this.#finish(carried);
  }

  #cut(frame: Frame, event: OpenEvent): void {
    if (event === frame.carried) return this.#endCarry(frame, frame.next);
    if (event.reaches(frame.next)) {
      frame.cut(event);
      this.#cuts++;
    }
    frame.release(event);
    this.#finish(event);
  }

  #close(frame: Frame, event: OpenEvent): void {
    frame.release(event);
    if (event.onto === undefined) this.#finish(event);
    else frame.promised.add(event);
  }

  #finish(event: OpenEvent): void {
    const bytes = event.heldBytes;
    this.#heldBytes -= bytes;
    this.#options.held.give(bytes);
    this.#options.emit(event);
  }

  #hold(bytes: number): void {
    this.#heldBytes += bytes;
    this.#options.held.take(bytes);
  }

  #activate(frame: Frame): void {
    if (frame.isActive) return;
    frame.isActive = true;
    this.#active.add(frame);
  }

  #settle(frame: Frame): void {
    frame.isActive = frame.isHolding;
    if (!frame.isActive) this.#active.delete(frame);
  }
}
