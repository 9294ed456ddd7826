import { formatDuration } from '../core/duration.ts';
import { oneLine } from '../core/one-line.ts';

/** The state of one dependency. Times are milliseconds on the board's clock. */
export interface Row {
  readonly text: string;
  readonly began: number;
  /** What is seen, with the reason if one is known. */
  state: string;
  /** When that was seen first. A reason found later does not begin it anew. */
  since: number;
  isMet: boolean;
}

/** Receives the changes of each dependency. */
export interface Teller {
  begun(row: Row): void;
  changed(row: Row): void;
  /** @param afterMs how long the wait for the dependency took */
  met(row: Row, afterMs: number): void;
}

/** A row with what is seen, without the reason. */
interface SeenRow extends Row {
  seen: string;
}

/** The state of all dependencies. Each change is reported once. */
export class Board {
  readonly #rows = new Map<string, SeenRow>();
  readonly #teller: Teller;
  readonly #now: () => number;

  /** @param now a monotonic clock in milliseconds */
  constructor(teller: Teller, now: () => number) {
    this.#teller = teller;
    this.#now = now;
  }

  begin(text: string): void {
    const now = this.#now();
    const seen = 'not seen yet';
    const row = { text, began: now, state: seen, seen, since: now, isMet: false };
    this.#rows.set(text, row);
    this.#teller.begun(row);
  }

  change(text: string, seen: string, why?: string): void {
    const row = this.#rows.get(text);
    const state = oneLine(why === undefined ? seen : `${seen}; ${why}`);
    if (row === undefined || row.state === state) return;
    row.state = state;
    if (row.seen !== seen) row.since = this.#now();
    row.seen = seen;
    this.#teller.changed(row);
  }

  met(text: string, how: string): void {
    const row = this.#rows.get(text);
    if (row === undefined) return;
    row.isMet = true;
    row.state = oneLine(how);
    row.since = this.#now();
    this.#teller.met(row, row.since - row.began);
  }

  /** The last state with its duration: `no such Job yet, for 1m30s`. */
  stateOf(text: string): string {
    const row = this.#rows.get(text);
    return row === undefined ? 'unknown' : `${row.state}, for ${formatDuration(this.#now() - row.since)}`;
  }

  get rows(): readonly Row[] {
    return [...this.#rows.values()];
  }

  /** Dependencies that are not ready. */
  get open(): readonly Row[] {
    return this.rows.filter(({ isMet }) => !isMet);
  }
}
