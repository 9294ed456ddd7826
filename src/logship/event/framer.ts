import { Place } from '../parse/format.ts';
import type { Content } from '../read/contents.ts';
import type { TakeLine } from '../read/line-reader.ts';
import { OpenEvent, type LogEvent } from './event.ts';
import { carry, endCarry, Frame, type Line } from './frame.ts';

const CARRIAGE_RETURN = 13;
/** Each cut requires a checkpoint. */
const CUT_EVERY_MS = 1000;
/** Number of paths whose last generation is remembered. */
const REMEMBERED = 1024;

interface FramerOptions {
  /** Receives each complete event. */
  readonly emit: (event: LogEvent) => void;
  /** Tracks the bytes held. */
  readonly held: { take(bytes: number): void; give(bytes: number): void };
  /** An event ends after this time without a line, if its file has no more. */
  readonly timeoutMs: number;
  readonly now: () => number;
}

/**
 * Builds events from lines. The end of an event depends only on its own and the following lines, so that a second
 * reading from any mark yields the same events. Ends by timeout are recorded as Cuts.
 */
export class Framer {
  readonly #options: FramerOptions;
  readonly #frames = new WeakMap<Content, Frame>();
  /** The newest frame of each path; its successor continues from it. */
  readonly #latest = new Map<string, Frame>();
  /** Frames with open events. */
  readonly #active = new Set<Frame>();
  readonly #touched: { ms: number; round: number };
  #frame: Frame | undefined;
  #cutMs = -Infinity;
  #cuts = 0;
  #heldBytes = 0;

  constructor(options: FramerOptions) {
    this.#options = options;
    this.#touched = { ms: options.now(), round: 0 };
  }

  /** Bytes of the open events. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Number of cuts: the checkpoint must record each before the next document is sent. */
  get cuts(): number {
    return this.#cuts;
  }

  readonly take: TakeLine = (content, line, offset, next, skipping) => {
    const frame = this.#frame?.content === content ? this.#frame : this.#enter(content, offset);
    const length = line.length;
    const end = length > 0 && line[length - 1] === CARRIAGE_RETURN ? length - 1 : length;
    this.#place(frame, line.toString('utf8', 0, end), offset, next, skipping);
    frame.next = next;
    frame.touchedRound = this.#touched.round;
  };

  /** Ends events whose timeout has expired. Call after each round that has read all files. */
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

  /** Ends all events: nothing more will be read. */
  cut(): void {
    this.#cutAll(() => true);
  }

  /** Ends open events to free memory for reading. */
  relieve(): void {
    const cuts = this.#cuts;
    // An earlier run may have sent these with lines that are still to be read: keep them if possible.
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

  #enter(content: Content, offset: number): Frame {
    let frame = this.#frames.get(content);
    if (frame === undefined) {
      const { path } = content.generation;
      const before = this.#latest.get(path);
      frame = new Frame(content, offset, offset === 0 && before?.isHolding === true ? before : undefined);
      this.#frames.set(content, frame);
      this.#remember(path, frame);
    }
    this.#frame = frame;
    return frame;
  }

  #remember(path: string, frame: Frame): void {
    this.#latest.delete(path);
    this.#latest.set(path, frame);
    if (this.#latest.size <= REMEMBERED) return;
    // Dated file names keep accumulating. A frame with open events is active and is found again by its path.
    for (const [old, { isHolding }] of this.#latest) {
      if (isHolding) continue;
      this.#latest.delete(old);
      return;
    }
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
      case Place.begins:
        frame.ends(format.pid);
        return this.#begin(frame, text, offset, next, skipping);
      case Place.resumes: {
        const event = frame.open.get(format.pid);
        if (event !== undefined && event.reaches(offset) && event.hasRoomFor(text) && format.resumes(event.text, text))
          return this.#join(frame, event, text, next, skipping);
        frame.needsCut(format.pid);
        return this.#begin(frame, text, offset, next, skipping);
      }
      case Place.follows:
        if (last?.hasRoomFor(text) === true) return this.#join(frame, last, text, next, skipping);
        return this.#pass(frame, text, offset, next, skipping);
      case Place.alone:
        return this.#pass(frame, text, offset, next, skipping);
    }
  }

  #begin(frame: Frame, text: string, offset: number, next: number, skipping: boolean): void {
    const { content } = frame;
    const { pid } = content.parser.format;
    const before = frame.open.get(pid);
    frame.hold(this.#event(content, text, offset, next, skipping));
    // Reuses the map's entry: with a deletion per line V8 rebuilds the map every few lines, and each old table in the
    // old generation of the heap keeps the next one and all its events alive.
    if (before !== undefined) this.#close(frame, before);
    this.#hold(text.length);
    this.#activate(frame);
    for (const stale of frame.stale()) this.#close(frame, stale);
  }

  #join(frame: Frame, event: OpenEvent, text: string, next: number, skipping: boolean): void {
    event.join(text, { offset: next, skipping, timeMs: frame.content.timeMs }, this.#touched);
    frame.last = event;
    this.#hold(text.length);
  }

  /** An event that no line can join. */
  #pass(frame: Frame, text: string, offset: number, next: number, skipping: boolean): void {
    if (frame.last !== undefined) this.#close(frame, frame.last);
    frame.needsCuts();
    this.#options.emit(this.#event(frame.content, text, offset, next, skipping));
  }

  /** The timestamp depends only on the first line and the lines before it, not on when the event ends. */
  #event(content: Content, text: string, offset: number, next: number, skipping: boolean): OpenEvent {
    const ownMs = content.parser.timeOf(text, content.timeMs);
    const isDated = !Number.isNaN(ownMs);
    const timeMs = isDated ? ownMs : content.timeMs;
    content.timeMs = timeMs;
    const span = content.progress.begin(offset, { offset: next, skipping, timeMs });
    const { pid } = content.parser.format;
    return new OpenEvent({ content, offset, text, timeMs, isDated, pid }, span, this.#touched);
  }

  /** One of a generation's first lines: whether it continues an open event of the previous one. */
  #goesOn(frame: Frame, line: Line): boolean {
    const isNew = frame.carried === undefined;
    const result = carry(frame, line, this.#touched);
    if (result === 'decided') this.#cuts++;
    if (result !== 'ended') {
      if (isNew) this.#activate(frame);
      this.#hold(line.text.length);
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
    const bytes = event.text.length - event.lines + 1;
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
