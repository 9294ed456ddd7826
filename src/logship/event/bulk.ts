/**
 * Takes the lines of a chunk in bulk, as most are: their events begin and end in it, and the table writes their documents.
 *
 *   reader -> many lines -> scan -> documents in the request -> one span for all that one call has written
 *     an event that is open at the end of the chunk -> stays with the table, for the next one
 *     an event that the framer holds -> ends when scan meets the next line of its process
 *     a line that needs more -> back to the reader, which passes it on by itself
 *
 * The framer decides where no line does: timeouts, rotations, and what an earlier run has decided. Before it does, it takes over the
 * events that are with the table, as if their lines had been taken by themselves.
 */
import { Mark, type Span } from '../position/progress.ts';
import { HEAD_BYTES } from '../position/generation.ts';
import type { Content } from '../read/content.ts';
import type { TakeMany } from '../read/take-line.ts';
import { Stop, type Block, type LineTable } from '../tables/scanner.ts';
import { OpenEvent, type Touched } from './event.ts';
import type { Frame } from './frame.ts';
import type { Kept } from './kept.ts';

/** Where documents go. */
export interface BulkSink {
  readonly maxLineBytes: number;
  /** Sets where the next documents are written. */
  room(block: Block): void;
  /** Receives the documents that a scan has written. */
  add(content: Content, block: Block, span: Span): void;
  /** Sends what is filled. Returns false if that is nothing. */
  flush(): boolean;
  /** Whether another request may be filled. */
  readonly hasRoom: () => boolean;
  /** Makes the opening of a day known. */
  enterDay(day: number): void;
}

/** What the framer does with events. */
interface Events {
  close(frame: Frame, event: OpenEvent): void;
  open(frame: Frame, event: OpenEvent): void;
  /** Counts bytes of open events, more or fewer. */
  hold(frame: Frame, bytes: number): void;
}

const NO_BYTES = Buffer.alloc(0);
/** More events than this are rare, and each makes a scan slower. */
const MOST_HELD = 256;

export class Bulk {
  readonly #sink: BulkSink;
  readonly #now: () => number;
  readonly #events: Events;
  readonly #block: Block;

  constructor(sink: BulkSink, now: () => number, events: Events) {
    this.#sink = sink;
    this.#now = now;
    this.#events = events;
    this.#block = emptyBlock(sink.maxLineBytes);
  }

  /** As TakeMany. */
  take(
    frame: Frame,
    touched: Touched,
    chunk: Buffer,
    position: number,
    start: number,
    end: number,
  ): ReturnType<TakeMany> {
    const block = this.#block;
    let lines = 0;
    if (!this.#sink.hasRoom() || !this.#enter(frame, chunk, position, start, end)) return { at: start, lines };
    const { content } = frame;
    const { table } = content.format;
    for (;;) {
      this.#setTimes(content);
      this.#sink.room(block);
      const stop = table.scan(block);
      lines += block.taken;
      this.#note(content);
      const { documents } = block;
      if (documents > 0) this.#add(content);
      frame.next = position + block.at;
      switch (stop) {
        case Stop.end:
          return this.#pause(frame, table, touched, lines);
        case Stop.full: {
          // A request may have been sent when its documents were added. A document that fits no request of the usual
          // size is the framer's.
          const isSent = this.#sink.flush() || documents > 0;
          // The reader comes back when there is room again. It must get on, or it would take the line for an unfinished one.
          if (block.at > start && !this.#sink.hasRoom()) return this.#pause(frame, table, touched, lines);
          if (isSent) continue;
          break;
        }
        case Stop.held:
          this.#release(frame, block.stopAt);
          continue;
        case Stop.day:
          this.#sink.enterDay(block.stopAt);
          continue;
        case Stop.line:
        case Stop.many:
          break;
      }
      this.#takeOver(frame, touched);
      block.into = NO_BYTES;
      return { at: block.at, lines };
    }
  }

  /** Takes the events that are with the frame's table, if there are any. */
  release(frame: Frame): void {
    if (frame.kept !== undefined) this.#takeOver(frame, frame.kept.touched);
  }

  /** Prepares a scan. Returns false if the lines must be taken one by one. */
  #enter(frame: Frame, chunk: Buffer, position: number, start: number, end: number): boolean {
    const offset = position + start;
    const isPlain = offset >= HEAD_BYTES && frame.isPlainFrom(offset) && frame.open.size <= MOST_HELD;
    // What was skipped between two chunks is not the table's business.
    if (!isPlain || frame.kept?.next !== offset) this.release(frame);
    if (!isPlain) return false;
    const { content } = frame;
    const { generation } = content;
    if (frame.last?.reaches(offset) === false) this.#events.close(frame, frame.last);
    const block = this.#block;
    block.chunk = chunk;
    block.at = start;
    block.end = end;
    block.base = position;
    block.held = frame.processes;
    block.isLastHeld = frame.last !== undefined;
    block.aloneStops = frame.mayNeedCuts;
    block.name = generation.nameAt(offset);
    return true;
  }

  /** Sets the times for lines without one, or without a year, which depend on the lines before. */
  #setTimes({ undated, timeMs }: Content): void {
    const block = this.#block;
    const { ms, day } = undated.many(block.base + block.at, timeMs, this.#now());
    block.lastMs = undated.lastMs(timeMs);
    block.nearMs = timeMs;
    block.undatedMs = ms;
    block.undatedDay = day;
  }

  /** The same as for each line that has no time, or has one. */
  #note(content: Content): void {
    const { undatedOffset, isUndatedLater, isDated, lastMs, base, at } = this.#block;
    if (undatedOffset !== -1) content.undated.took(undatedOffset, false);
    if (isUndatedLater) content.undated.took(base + at - 1, true);
    if (!isDated) return;
    content.timeMs = lastMs;
    content.undated.dated();
  }

  #add(content: Content): void {
    const { documents, firstOffset, endOffset, endMs } = this.#block;
    const span = content.progress.begin(firstOffset, new Mark(endOffset, false, endMs), documents);
    this.#sink.add(content, this.#block, span);
  }

  /** Ends the event of a process, since the next line begins another. */
  #release(frame: Frame, pid: number): void {
    frame.ends(pid);
    const event = frame.open.get(pid);
    if (event !== undefined) this.#events.close(frame, event);
    const block = this.#block;
    block.held = frame.processes;
    block.isLastHeld &&= frame.last !== undefined;
  }

  /** Leaves the open events with the table, for the lines that follow. */
  #pause(frame: Frame, table: LineTable, touched: Touched, lines: number): ReturnType<TakeMany> {
    this.#keep(frame, table, touched);
    this.#block.into = NO_BYTES;
    return { at: this.#block.at, lines };
  }

  #keep(frame: Frame, table: LineTable, touched: Touched): void {
    const { content, kept, next } = frame;
    // Lines of the chunk came after the last event that the framer holds.
    if (!this.#block.isLastHeld) frame.last = undefined;
    const bytes = table.keep();
    const end = new Mark(next, false, content.timeMs);
    const span = bytes === 0 ? undefined : content.progress.begin(table.keptFrom(), end);
    frame.kept = span && { span, bytes, next, touched: { ...touched } };
    this.#forget(frame, kept);
    if (bytes > 0) this.#events.hold(frame, bytes);
  }

  #takeOver(frame: Frame, touched: Touched): void {
    const { content, kept } = frame;
    frame.kept = undefined;
    const isLastHeld = kept === undefined ? this.#block.isLastHeld : frame.last !== undefined;
    let last: OpenEvent | undefined = isLastHeld ? frame.last : undefined;
    for (const opened of content.format.table.take()) {
      const { offset, endOffset, endMs, isLast } = opened;
      const span = content.progress.begin(offset, new Mark(endOffset, false, endMs));
      const event = new OpenEvent(content, span, opened, touched);
      this.#events.open(frame, event);
      if (isLast) last = event;
    }
    frame.last = last;
    this.#forget(frame, kept);
  }

  #forget(frame: Frame, kept: Kept | undefined): void {
    if (kept === undefined) return;
    kept.span.progress.settle(kept.span);
    this.#events.hold(frame, -kept.bytes);
  }
}

function emptyBlock(maxLineBytes: number): Block {
  return {
    chunk: NO_BYTES,
    at: 0,
    end: 0,
    base: 0,
    lastMs: NaN,
    nearMs: 0,
    undatedMs: NaN,
    undatedDay: NaN,
    maxLineBytes,
    held: [],
    isLastHeld: false,
    aloneStops: false,
    name: '',
    openings: undefined,
    into: NO_BYTES,
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
