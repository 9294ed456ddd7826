import { formatDuration } from '../core/duration.ts';
import { oneLine } from '../core/one-line.ts';

/** What is known of one dependency. Moments are milliseconds of the board's clock. */
export interface Row {
  readonly text: string;
  readonly began: number;
  state: string;
  /** When its state began. */
  since: number;
  isMet: boolean;
}

/** What a board tells of each dependency, as it comes. */
export interface Teller {
  begun(row: Row): void;
  changed(row: Row): void;
  /** @param afterMs how long it was waited for */
  met(row: Row, afterMs: number): void;
}

/** What is known of each dependency. Every change is told once. */
export class Board {
  readonly #rows = new Map<string, Row>();
  readonly #teller: Teller;
  readonly #now: () => number;

  /** @param now milliseconds on a clock that never goes back */
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

  /** What was last seen, and for how long: `no such Job yet, for 1m30s`. */
  stateOf(text: string): string {
    const row = this.#rows.get(text);
    return row === undefined ? 'unknown' : `${row.state}, for ${formatDuration(this.#now() - row.since)}`;
  }

  get rows(): readonly Row[] {
    return [...this.#rows.values()];
  }

  /** Those that are not met. */
  get open(): readonly Row[] {
    return this.rows.filter(({ isMet }) => !isMet);
  }
}
