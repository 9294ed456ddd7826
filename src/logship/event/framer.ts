import { isUtf8 } from 'node:buffer';
import type { SharedMemory } from '../wasm/memory.ts';
import { LineRole } from '../parse/format.ts';
import type { Content } from '../read/contents.ts';
import type { TakeLine } from '../read/line-reader.ts';
import { Mark } from '../position/progress.ts';
import { OpenEvent, type LogEvent } from './event.ts';
import { carry, endCarry, type Frame, type Line } from './frame.ts';
import { Frames } from './frames.ts';
import { LoneLine } from './lone-line.ts';

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
  /** WebAssembly memory shared with the reader. Lines of chunks in it are not converted to strings. */
  readonly memory?: SharedMemory | undefined;
}

/**
 * Builds events from lines. The end of an event depends only on its own and the following lines, so that a second
 * reading from any mark yields the same events. Ends by timeout are recorded as Cuts.
 */
export class Framer {
  readonly #options: FramerOptions;
  readonly #frames = new Frames();
  /** Frames that have open events. */
  readonly #active = new Set<Frame>();
  readonly #touched: { ms: number; round: number };
  #frame: Frame | undefined;
  /** The chunk of the last line, and whether it is in the shared memory. */
  #chunk: Buffer | undefined;
  #isShared = false;
  readonly #lone = new LoneLine();
  #cutMs = -Infinity;
  #cuts = 0;
  #heldBytes = 0;

  constructor(options: FramerOptions) {
    this.#options = options;
    this.#touched = { ms: options.now(), round: 0 };
  }

  /** The number of bytes in open events. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** The number of cuts. The checkpoint must record each before the next document is sent. */
  get cuts(): number {
    return this.#cuts;
  }

  readonly take: TakeLine = (content, chunk, offset, next, skipping, start = 0, to = chunk.length) => {
    const frame = this.#frame?.content === content ? this.#frame : this.#frames.of(content, offset);
    this.#frame = frame;
    const end = to > start && chunk[to - 1] === CARRIAGE_RETURN ? to - 1 : to;
    if (chunk !== this.#chunk) this.#enterChunk(chunk);
    if (!this.#isShared || !this.#placeBytes(frame, chunk, start, end, offset, next, skipping))
      this.#place(frame, chunk.toString('utf8', start, end), offset, next, skipping);
    frame.next = next;
    frame.touchedRound = this.#touched.round;
  };

  /** Called before the reader's buffer is overwritten: open events in it are converted to strings. */
  keep(): void {
    this.#chunk = undefined;
    if (this.#isShared) for (const event of this.#frame?.held() ?? []) event.keep();
  }

  /** Ends events whose timeout has expired. Called after each round that has read all files. */
  sweep(): void {
    const ms = this.#options.now();
    const { round } = this.#touched;
    const mayCut = Math.abs(ms - this.#cutMs) >= CUT_EVERY_MS;
    const { cuts } = this;
    for (const frame of this.#active) {
      if (frame.touchedRound !== round) frame.quietRound = round;
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
      for (const event of frame.held()) if (isMeant(frame, event)) this.#cut(frame, event);
      this.#settle(frame);
    }
  }

  /** A clock set back must not hold events forever. */
  #isLate(ms: number): boolean {
    return Math.abs(ms) >= this.#options.timeoutMs;
  }

  #place(frame: Frame, text: string, offset: number, next: number, skipping: boolean): void {
    if (frame.before !== undefined && this.#goesOn(frame, { text, offset, next, skipping })) return;
    const { format } = frame.content.parser;
    let { last } = frame;
    if (last?.reaches(offset) === false) {
      this.#close(frame, last);
      last = undefined;
    }
    switch (format.place(text, last?.text)) {
      case LineRole.begins:
        frame.ends(format.pid);
        return this.#begin(frame, text, offset, next, skipping);
      case LineRole.resumes: {
        const event = frame.open.get(format.pid);
        if (event !== undefined && event.reaches(offset) && event.hasRoomFor(text) && format.resumes(event.text, text))
          return this.#join(frame, event, text, offset, next, skipping);
        frame.needsCut(format.pid);
        return this.#begin(frame, text, offset, next, skipping);
      }
      case LineRole.follows:
        if (last?.hasRoomFor(text) === true) return this.#join(frame, last, text, offset, next, skipping);
        return this.#pass(frame, text, offset, next, skipping);
      case LineRole.alone:
        return this.#pass(frame, text, offset, next, skipping);
    }
  }

  #enterChunk(chunk: Buffer): void {
    this.#chunk = chunk;
    this.#isShared = this.#options.memory?.has(chunk) === true && isUtf8(chunk);
  }

  /** Same as #place, without a string, for a line that certainly begins an event, as most lines do. */
  #placeBytes(
    frame: Frame,
    chunk: Buffer,
    start: number,
    end: number,
    offset: number,
    next: number,
    skipping: boolean,
  ) {
    const { content, last } = frame;
    const { lines } = content.parser;
    if (lines === undefined || frame.before !== undefined) return false;
    const timeMs = lines.begins(chunk, start, end, content.undated.lastMs(content.timeMs));
    if (Number.isNaN(timeMs)) return false;
    const { pid, isAlone } = lines;
    if (last !== undefined && (isAlone || !last.reaches(offset))) this.#close(frame, last);
    this.#date(content, timeMs);
    const span = content.progress.begin(offset, new Mark(next, skipping, timeMs));
    if (isAlone) {
      frame.needsCuts();
      this.#options.emit(this.#lone.set(content, span, chunk, start, end));
    } else {
      frame.ends(pid);
      const event = new OpenEvent(content, span, timeMs, undefined, true, pid, this.#touched);
      event.putInto(chunk, start, end);
      this.#open(frame, event);
    }
    return true;
  }

  #begin(frame: Frame, text: string, offset: number, next: number, skipping: boolean): void {
    this.#open(frame, this.#event(frame.content, text, offset, next, skipping));
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

  #join(frame: Frame, event: OpenEvent, text: string, offset: number, next: number, skipping: boolean): void {
    event.join(text, next - offset, new Mark(next, skipping, frame.content.timeMs), this.#touched);
    frame.last = event;
    this.#hold(next - offset);
  }

  /** Emits a line as an event that no further line can join. */
  #pass(frame: Frame, text: string, offset: number, next: number, skipping: boolean): void {
    if (frame.last !== undefined) this.#close(frame, frame.last);
    frame.needsCuts();
    this.#options.emit(this.#event(frame.content, text, offset, next, skipping));
  }

  /** The timestamp depends only on the first line and the lines before it, not on when the event ends. */
  #event(content: Content, text: string, offset: number, next: number, skipping: boolean): OpenEvent {
    const { undated } = content;
    const ownMs = content.parser.timeOf(text, content.timeMs, undated.lastMs(content.timeMs));
    const isDated = !Number.isNaN(ownMs);
    if (isDated) this.#date(content, ownMs);
    const timeMs = isDated ? ownMs : undated.timeAt(offset, content.timeMs, this.#options.now());
    const span = content.progress.begin(offset, new Mark(next, skipping, content.timeMs));
    const { pid } = content.parser.format;
    return new OpenEvent(content, span, timeMs, text, isDated, pid, this.#touched);
  }

  #date(content: Content, timeMs: number): void {
    content.timeMs = timeMs;
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
