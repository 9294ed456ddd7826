import { FAR_MS } from '../../time/wall.ts';
import { Stop, type Block, type Opened } from '../scanner.ts';
import type { DocumentText } from './document.ts';
import type { Match } from './match.ts';
import type { Matcher } from './matcher.ts';
import { OpenEvent } from './open-event.ts';
import { Request } from './request.ts';
import { goesOn } from './role.ts';

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
const DAY_MS = 86_400_000;
const MAX_OPEN = 256;

/** A line and its position in the file. */
interface Line {
  readonly bytes: Buffer;
  readonly offset: number;
  readonly endOffset: number;
}

/** The time of a line that starts an event. */
interface Time {
  readonly ms: number;
  readonly isDated: boolean;
}

/** What the first line of an event says of it. */
type First = Pick<OpenEvent, 'pid' | 'opens'>;

/** Builds events from the lines of a file. Open events stay here between calls for the same chunk. */
export class Scan {
  readonly #matcher: Matcher;
  readonly #isRaw: boolean;
  readonly #request: Request;
  /** Open events by process, and the last one in the file. */
  readonly #open = new Map<number, OpenEvent>();
  #last: OpenEvent | undefined;

  constructor(matcher: Matcher, documents: DocumentText, isRaw: boolean) {
    this.#matcher = matcher;
    this.#isRaw = isRaw;
    this.#request = new Request(documents);
  }

  /** See LineTable.scan. */
  scan(block: Block): Stop {
    Object.assign(block, {
      documents: 0,
      lines: 0,
      taken: 0,
      isDated: false,
      undatedOffset: -1,
      isUndatedLater: false,
    });
    while (block.at < block.end) {
      const newline = block.chunk.indexOf(NEWLINE, block.at);
      const hasReturn = newline > block.at && block.chunk[newline - 1] === CARRIAGE_RETURN;
      const line = {
        bytes: block.chunk.subarray(block.at, hasReturn ? newline - 1 : newline),
        offset: block.base + block.at,
        endOffset: block.base + newline + 1,
      };
      const stop = this.#take(block, line);
      if (stop !== Stop.end) return stop;
      block.at = newline + 1;
      block.taken++;
    }
    const unreached = [...this.#open.values()].filter((event) => !event.reaches(block.base + block.at));
    for (const event of unreached.toSorted((a, b) => a.offset - b.offset)) {
      const stop = this.#end(block, event);
      if (stop !== Stop.end) return stop;
    }
    return Stop.end;
  }

  /** See LineTable.keep. */
  keep(): number {
    let bytes = 0;
    for (const event of this.#open.values()) {
      event.keep();
      bytes += event.heldBytes;
    }
    return bytes;
  }

  /** See LineTable.keptFrom. */
  keptFrom(): number {
    const offsets = [...this.#open.values()].map(({ offset }) => offset);
    return offsets.length === 0 ? NaN : Math.min(...offsets);
  }

  /** See LineTable.take. */
  take(): readonly Opened[] {
    const opened = [...this.#open.values()]
      .toSorted((a, b) => a.offset - b.offset)
      .map((event) => ({
        offset: event.offset,
        endOffset: event.endOffset,
        endMs: event.endMs,
        pid: event.pid,
        timeMs: event.timeMs,
        isDated: event.isDated,
        lines: event.lines,
        heldBytes: event.heldBytes,
        text: event.text,
        isLast: event === this.#last,
      }));
    this.#open.clear();
    this.#last = undefined;
    return opened;
  }

  #take(block: Block, line: Line): Stop {
    if (line.bytes.length > block.maxLineBytes) return Stop.line;
    const match = this.#matcher.match(line.bytes, block.lastMs, block.nearMs);
    if (this.#last?.reaches(line.offset) === false) {
      const stop = this.#end(block, this.#last);
      if (stop !== Stop.end) return stop;
    }
    switch (this.#isRaw ? 'alone' : this.#placeOf(match)) {
      case 'begins':
      case 'opens':
        return this.#begin(block, line, match);
      case 'resumes':
        return this.#resume(block, line, match);
      case 'follows':
        if (this.#last?.hasRoomFor(line.bytes) === true) return this.#join(block, this.#last, line);
        return this.#pass(block, line, match);
      case 'alone':
        return this.#pass(block, line, match);
    }
  }

  #placeOf({ place }: Match) {
    const { goesOn: set } = this.#matcher.table;
    const last = this.#last;
    if (place !== 'alone' || set === undefined || last?.opens !== true) return place;
    return last.lines === 1 || goesOn(set, last.lastStart) ? 'follows' : place;
  }

  #begin(block: Block, line: Line, match: Match): Stop {
    const { process } = match;
    const first = { pid: process, opens: match.place === 'opens' };
    const time = this.#timeOf(block, match);
    if (time === undefined) return Stop.line;
    if (block.held.includes(process)) {
      block.stopAt = process;
      return Stop.held;
    }
    const before = this.#open.get(process);
    if (before === undefined && this.#open.size >= MAX_OPEN) return Stop.many;
    const stop = before === undefined ? Stop.end : this.#end(block, before);
    if (stop !== Stop.end) return stop;
    this.#date(block, line, time);
    const event = this.#event(block.nearMs, line, time, first);
    this.#open.set(process, event);
    this.#last = event;
    block.isLastHeld = false;
    return Stop.end;
  }

  #resume(block: Block, line: Line, match: Match): Stop {
    if (block.held.includes(match.process)) return Stop.line;
    const event = this.#open.get(match.process);
    const fits = event?.reaches(line.offset) === true && event.hasRoomFor(line.bytes);
    if (fits && this.#isSame(event.firstLine, line.bytes)) return this.#join(block, event, line);
    return this.#begin(block, line, this.#matcher.match(line.bytes, block.lastMs, block.nearMs));
  }

  #isSame(first: Buffer, line: Buffer): boolean {
    const [wanted, found] = [this.#matcher.same(first), this.#matcher.same(line)];
    return wanted !== undefined && found !== undefined && found.every((text, at) => text === wanted[at]);
  }

  #join(block: Block, event: OpenEvent, line: Line): Stop {
    event.join(line.bytes, line.offset, line.endOffset, block.nearMs);
    this.#last = event;
    block.isLastHeld = false;
    return Stop.end;
  }

  /** A line that no other line joins. */
  #pass(block: Block, line: Line, match: Match): Stop {
    if (block.isLastHeld || block.aloneStops) return Stop.line;
    const time = this.#timeOf(block, match);
    if (time === undefined) return Stop.line;
    const first = { pid: match.process, opens: false };
    if (this.#last !== undefined) {
      const stop = this.#end(block, this.#last);
      if (stop !== Stop.end) return stop;
    }
    const endMs = time.isDated ? time.ms : block.nearMs;
    const stop = this.#request.write(block, this.#event(endMs, line, time, first));
    if (stop === Stop.end) this.#date(block, line, time);
    return stop;
  }

  #end(block: Block, event: OpenEvent): Stop {
    const stop = this.#request.write(block, event);
    if (stop !== Stop.end) return stop;
    this.#open.delete(event.pid);
    if (this.#last === event) this.#last = undefined;
    return Stop.end;
  }

  #event(endMs: number, { bytes, offset, endOffset }: Line, { ms, isDated }: Time, first: First): OpenEvent {
    return new OpenEvent(bytes, { offset, endOffset, endMs }, { ...first, timeMs: ms, isDated });
  }

  /** The time of a line that starts an event; undefined if it needs the caller. */
  #timeOf(block: Block, { timeMs }: Match): Time | undefined {
    if (!Number.isNaN(timeMs))
      return Math.abs(timeMs - block.nearMs) <= FAR_MS ? { ms: timeMs, isDated: true } : undefined;
    if (!block.isDated) return Number.isNaN(block.undatedMs) ? undefined : { ms: block.undatedMs, isDated: false };
    const isSameDay = Math.floor(block.lastMs / DAY_MS) === block.undatedDay;
    return isSameDay ? { ms: block.lastMs, isDated: false } : undefined;
  }

  #date(block: Block, line: Line, { ms, isDated }: Time): void {
    if (isDated) {
      block.lastMs = ms;
      block.nearMs = ms;
      block.isDated = true;
    } else if (block.isDated) block.isUndatedLater = true;
    else block.undatedOffset = line.offset;
  }
}
