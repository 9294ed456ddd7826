import { Place } from '../parse/format.ts';
import type { Content } from '../read/contents.ts';
import type { TakeLine } from '../read/line-reader.ts';
import { OpenEvent, type LogEvent } from './event.ts';
import { carry, endCarry, Frame, type Line } from './frame.ts';

const CARRIAGE_RETURN = 13;
/** Each time something is cut a checkpoint is written. */
const CUT_EVERY_MS = 1000;
/** Paths whose last generation is remembered. */
const REMEMBERED = 1024;

interface FramerOptions {
  /** Gets each event when it is whole. */
  readonly emit: (event: LogEvent) => void;
  /** Is told how much is held. */
  readonly held: { take(bytes: number): void; give(bytes: number): void };
  /** An event ends when no line of it came for so long, and its file has no more. */
  readonly timeoutMs: number;
  readonly now: () => number;
}

/**
 * Makes events of lines. Where an event ends depends on its own lines and those behind them alone, so that a second
 * reading, from any mark, finds the same events. What the clock ends is a Cut.
 */
export class Framer {
  readonly #options: FramerOptions;
  readonly #frames = new WeakMap<Content, Frame>();
  /** The newest of each path, in which its successor looks for what goes on. */
  readonly #latest = new Map<string, Frame>();
  /** Those that hold something. */
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

  /** Bytes of the events that wait for further lines. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** How many cuts were made: the checkpoint must hold each before the next document is sent. */
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

  /** Ends what has waited long enough. To be called after each round in which all files were read. */
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

  /** Ends everything: nothing more is read. */
  cut(): void {
    this.#cutAll(() => true);
  }

  /** Ends what is held, so that reading can go on when there is little room. */
  relieve(): void {
    const cuts = this.#cuts;
    // An earlier run may have sent those with lines that are still to come: let them come, if that can be.
    this.#cutAll((frame, event) => !frame.expects(event));
    if (this.#cuts === cuts) this.cut();
  }

  #cutAll(isMeant: (frame: Frame, event: OpenEvent) => boolean): void {
    for (const frame of this.#active) {
      for (const event of frame.held()) if (isMeant(frame, event)) this.#cut(frame, event);
      this.#settle(frame);
    }
  }

  /** A clock that was set back must not hold events for ever. */
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
    // Files with a date in their names come for ever. What holds something is active, and found by its path again.
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
    // Its place is taken already: a map from which each line deletes is rebuilt every few lines, and each old one, once
    // it is old for the collector too, keeps the next and all its events alive.
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

  /** An event that none joins. */
  #pass(frame: Frame, text: string, offset: number, next: number, skipping: boolean): void {
    if (frame.last !== undefined) this.#close(frame, frame.last);
    frame.needsCuts();
    this.#options.emit(this.#event(frame.content, text, offset, next, skipping));
  }

  /** The time is that of the first line, as far as was read before it: no matter when the event ends. */
  #event(content: Content, text: string, offset: number, next: number, skipping: boolean): OpenEvent {
    const ownMs = content.parser.timeOf(text, content.timeMs);
    const isDated = !Number.isNaN(ownMs);
    const timeMs = isDated ? ownMs : content.timeMs;
    content.timeMs = timeMs;
    const span = content.progress.begin(offset, { offset: next, skipping, timeMs });
    const { pid } = content.parser.format;
    return new OpenEvent({ content, offset, text, timeMs, isDated, pid }, span, this.#touched);
  }

  /** One of a generation's first lines: whether it belongs to what is open in the one before. */
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
