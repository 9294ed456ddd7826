import { formatDuration } from '../core/duration.ts';
import { oneLine } from '../core/one-line.ts';

/** The state of one dependency. Times are milliseconds on the board's clock. */
export interface Row {
  readonly text: string;
  readonly began: number;
  state: string;
  /** When the current state began. */
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

/** The state of all dependencies. Each change is reported once. */
export class Board {
  readonly #rows = new Map<string, Row>();
  readonly #teller: Teller;
  readonly #now: () => number;

  /** @param now a monotonic clock in milliseconds */
  constructor(teller: Teller, now: () => number) {
    this.#teller = teller;
    this.#now = now;
  }

  begin(text: string): void {
    const now = this.#now();
    const row = { text, began: now, state: 'not seen yet', since: now, isMet: false };
    this.#rows.set(text, row);
    this.#teller.begun(row);
  }

  change(text: string, seen: string): void {
    const row = this.#rows.get(text);
    const state = oneLine(seen);
    if (row === undefined || row.state === state) return;
    row.state = state;
    row.since = this.#now();
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
