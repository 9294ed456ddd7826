import { formatDuration } from '../cli/duration.ts';
import type { Log } from '../cli/log.ts';

interface Row {
  readonly began: number;
  state: string;
  since: number;
}

/** What is known of each dependency: says every change once, and everything that is open when asked. */
export class Board {
  readonly #rows = new Map<string, Row>();
  readonly #log: Log;
  readonly #now: () => number;

  /** @param now milliseconds on a clock that never goes back */
  constructor(log: Log, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  begin(text: string): void {
    const now = this.#now();
    this.#rows.set(text, { began: now, state: 'not seen yet', since: now });
    this.#log.info(`waiting for ${text}`, { wait: text });
  }

  change(text: string, state: string): void {
    const row = this.#rows.get(text);
    if (row === undefined || row.state === state) return;
    row.state = state;
    row.since = this.#now();
    this.#log.info(`${text}: ${state}`, { wait: text });
  }

  met(text: string, how: string): void {
    const row = this.#rows.get(text);
    this.#rows.delete(text);
    const after = formatDuration(this.#now() - (row?.began ?? 0));
    this.#log.info(`${text}: met after ${after}: ${how}`, { wait: text });
  }

  summarize(): void {
    const all = [...this.#rows.keys()].map((text) => `${text} (${this.stateOf(text)})`);
    this.#log.info(`still waiting for ${all.join(', ')}`);
  }

  /** What was last seen, and for how long: `no such Job yet, for 1m30s`. */
  stateOf(text: string): string {
    const row = this.#rows.get(text);
    return row === undefined ? 'met' : `${row.state}, for ${formatDuration(this.#now() - row.since)}`;
  }

  /** Those that are not met. */
  get open(): readonly string[] {
    return [...this.#rows.keys()];
  }
}
