import { FAR_MS } from '../time/wall.ts';

const DAY_MS = 86_400_000;

/** A file system's clock may differ by this much from ours. */
const CLOCKS_MS = 60_000;

/** No file is longer. Infinity can't be stored as JSON. */
export const ANYWHERE = Number.MAX_SAFE_INTEGER;

/** From this offset on, lines without a time are of this day. */
export interface UndatedFrom {
  readonly at: number;
  readonly timeMs: number;
  /** An offset after the start of the last line that was sent as of this day. */
  readonly to: number;
}

interface Seen {
  readonly from: readonly UndatedFrom[];
  /** The size of the file: an earlier run has not sent what comes later. */
  readonly size: number;
  /** When the earlier run has saved its state, by the file system's clock; undefined if that is unknown. */
  readonly savedMs?: number | undefined;
}

interface Known {
  readonly from: readonly UndatedFrom[];
  /** An earlier run may have sent the lines before this offset; by default it has sent none. */
  readonly sentTo?: number;
}

/** What an earlier run may have sent, by its last entries. */
export function sentBefore({ from, size, savedMs = -Infinity }: Seen): Required<Known> {
  const entries = from.map((entry) => {
    // What was read later has an entry of its own.
    const isOver = dayOf(savedMs - CLOCKS_MS) > dayOf(entry.timeMs);
    return isOver ? entry : { ...entry, to: Math.max(entry.to, Math.min(size, ANYWHERE)) };
  });
  return { from: entries, sentTo: entries.at(-1)?.to ?? 0 };
}

/**
 * The times of a generation's lines without a time of their own: when they were read, or the time of a dated line before them if
 * the end of the file was not reached in between, as in a backlog.
 *
 *   line without a time -> of a new day: a new entry, which the checkpoint has before the line is sent
 *   the same line after a restart -> the entry's day, because the day selects the index, where the ID is unique
 *
 * So a line has one document, whenever it is sent again. What was written while we did not run counts as of the last entry's
 * day if that was still the day when the earlier run saved its state last: it may have sent such lines afterwards.
 */
export class UndatedTimes {
  /** Whether a dated line was read since the end of the file was reached. */
  #hasDated = false;
  readonly #from: UndatedFrom[];
  /** An earlier run may have sent the lines before this offset. */
  readonly sentTo: number;
  readonly #firstSeenMs: number;
  readonly #onEntry: () => void;

  /** @param onEntry called for each entry that the checkpoint must have before the next document is sent */
  constructor(firstSeenMs: number, { from, sentTo = 0 }: Known, onEntry: () => void) {
    this.#firstSeenMs = firstSeenMs;
    this.#from = [...from];
    this.sentTo = sentTo;
    this.#onEntry = onEntry;
  }

  /** Number of times that the entries have changed. */
  changes = 0;

  /** The time of the last dated line; NaN if there was none. @param timeMs that of the content */
  lastMs(timeMs: number): number {
    return timeMs === this.#firstSeenMs ? NaN : timeMs;
  }

  /**
   * Whether the time of a line counts. One far ahead of all that is known does not: the line has the time that it would have without
   * one. What is known is the time of the last dated line, when the file was first seen, and the day of the lines before without a
   * time. A clock would know more, but something else at a second reading.
   */
  believes(timeMs: number, offset: number, lastMs: number): boolean {
    const readMs = this.#from.findLast(({ at }) => at < offset)?.timeMs ?? lastMs;
    return timeMs <= Math.max(lastMs, this.#firstSeenMs, readMs) + FAR_MS;
  }

  /** The time of the last dated line after one that has a time: the one before, if the new one is far behind it. */
  after(timeMs: number, lastMs: number): number {
    return timeMs < this.lastMs(lastMs) - FAR_MS ? lastMs : timeMs;
  }

  /** Called when a dated line was read. */
  dated(): void {
    this.#hasDated = true;
  }

  /** Called when the file was read to its end: what comes later was not written together with what was read. */
  caughtUp(): void {
    this.#hasDated = false;
  }

  /** @param lastMs the time of the last dated line, if there is one */
  timeAt(offset: number, lastMs: number, nowMs: number): number {
    const readMs = this.#hasDated ? lastMs : nowMs;
    const at = this.#from.findLastIndex((entry) => entry.at <= offset);
    const entry = this.#from[at];
    // The time of a dated line does not tell when this one was sent.
    const to = readMs === nowMs ? offset + 1 : ANYWHERE;
    if (entry !== undefined && dayOf(entry.timeMs) === dayOf(readMs)) {
      this.#set(at, entry, to);
      return readMs;
    }
    if (entry !== undefined && offset < this.sentTo) return entry.timeMs;
    this.#from.splice(at + 1, 0, { at: offset, timeMs: readMs, to });
    this.changes++;
    this.#onEntry();
    return readMs;
  }

  /**
   * The times of lines from this offset on, as far as they need no new entry: `ms` until a dated line is read, and then the
   * time of the last dated line while that is of this `day` (since the epoch). NaN if each line needs timeAt().
   */
  many(offset: number, lastMs: number, nowMs: number): { readonly ms: number; readonly day: number } {
    const entry = this.#from.at(-1);
    if (entry === undefined || entry.at > offset || offset < this.sentTo) return { ms: NaN, day: NaN };
    const day = dayOf(entry.timeMs);
    const ms = this.#hasDated ? lastMs : nowMs;
    return { ms: dayOf(ms) === day ? ms : NaN, day };
  }

  /**
   * Called when lines were taken with the times of many().
   * @param offset of the last one
   * @param isLater whether it came after a dated line
   */
  took(offset: number, isLater: boolean): void {
    const entry = this.#from.at(-1);
    if (entry === undefined) return;
    const to = isLater || this.#hasDated ? ANYWHERE : offset + 1;
    this.#set(this.#from.length - 1, entry, to);
  }

  #set(at: number, entry: UndatedFrom, to: number): void {
    if (to <= entry.to) return;
    this.#from[at] = { ...entry, to };
    this.changes++;
  }

  /** The entries that a restart at this offset needs. */
  entries(offset: number): readonly UndatedFrom[] {
    const at = this.#from.findLastIndex((entry) => entry.at <= offset);
    if (at > 0) this.#from.splice(0, at);
    return [...this.#from];
  }
}

function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}
