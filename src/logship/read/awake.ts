import type { Tail } from './tail.ts';

/** Number of files that are read for the first time in one round. */
const BEGUN_AT_ONCE = 256;
/** After this time without a read, a file rests. */
const QUIET_MS = 3000;
/** The same while more files than this are awake. */
const [MANY, QUIET_OF_MANY_MS] = [512, 250];

/**
 * The files of which more is in memory than a restart needs. Of thousands that are found at once, some are read and acknowledged
 * before the next ones are begun, so that only those of a second are awake.
 */
export class Awake {
  /** Files that were never read. */
  readonly #fresh = new Set<Tail>();
  /** Set while no more files are begun. */
  #isFull = false;
  /** Files that were read, from the one whose last read is longest ago, and when that was. */
  readonly #readMs = new Map<Tail, number>();

  found(tail: Tail): void {
    this.#fresh.add(tail);
  }

  isFresh(tail: Tail): boolean {
    return this.#fresh.has(tail);
  }

  /** Whether more files can be read for the first time now. */
  get hasFresh(): boolean {
    return this.#fresh.size > 0 && !this.#isFull;
  }

  /**
   * The files that are read for the first time now.
   * @param all whether no others are left for later
   * @param isStalled whether nothing is acknowledged at present, so that none of those that are awake can rest
   */
  begin(all: boolean, isStalled: boolean): readonly Tail[] {
    const begun: Tail[] = [];
    this.#isFull = isStalled && !all && this.#readMs.size >= MANY;
    if (this.#isFull) return begun;
    for (const tail of this.#fresh) {
      if (begun.length === BEGUN_AT_ONCE && !all) break;
      this.#fresh.delete(tail);
      begun.push(tail);
    }
    return begun;
  }

  /** Called when a file was read. @param now by a monotonic clock */
  read(tail: Tail, now: number): void {
    this.#readMs.delete(tail);
    this.#readMs.set(tail, now);
  }

  delete(tail: Tail): void {
    this.#fresh.delete(tail);
    this.#readMs.delete(tail);
  }

  /** Lets those rest that were not read for a while. Others are asked again after as long. */
  rest(now: number): void {
    for (const [tail, readMs] of this.#readMs) {
      if (now - readMs < (this.#readMs.size > MANY ? QUIET_OF_MANY_MS : QUIET_MS)) return;
      tail.rest();
      if (tail.isResting || tail.isClosed) this.#readMs.delete(tail);
      else this.read(tail, now);
    }
  }
}
