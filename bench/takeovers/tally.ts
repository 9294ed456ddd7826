/** Takeover times of one kind, from the fault to the successor's first row, in milliseconds. */
export interface Taken {
  readonly fault: string;
  readonly count: number;
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** Counts and times of takeovers by kind. */
export class Tally {
  readonly #taken = new Map<string, number[]>();
  #spoiled = 0;
  #rows = 0;

  /**
   * @param fault undefined: the holder had lost its lease before the fault came
   * @param ms from the fault to the successor's first row
   * @param rows of the journal that were judged with it
   */
  count(fault: string | undefined, ms: number, rows: number): void {
    this.#rows += rows;
    if (fault === undefined) this.#spoiled += 1;
    else this.#taken.set(fault, [...(this.#taken.get(fault) ?? []), ms]);
  }

  get total(): number {
    return [...this.#taken.values()].reduce((sum, { length }) => sum + length, 0);
  }

  get spoiled(): number {
    return this.#spoiled;
  }

  get rows(): number {
    return this.#rows;
  }

  of(fault: string): number {
    return this.#taken.get(fault)?.length ?? 0;
  }

  get taken(): Taken[] {
    return [...this.#taken].map(([fault, times]) => {
      const sorted = times.toSorted((a, b) => a - b);
      const median = sorted[Math.floor(sorted.length / 2)]!;
      return { fault, count: times.length, min: sorted[0]!, median, max: sorted.at(-1)! };
    });
  }

  /** One line per fault. */
  lines(): string[] {
    const lines = this.taken.map(({ fault, count, min, median, max }) => {
      const [least, half, most] = [min, median, max].map((ms) => (ms / 1000).toFixed(1));
      return `${fault}: ${count} takeovers, after ${least} to ${most} s, half of them within ${half} s`;
    });
    const spoiled = this.#spoiled === 0 ? [] : [`lost by itself, on a machine under load: ${this.#spoiled}`];
    return [...lines, ...spoiled, `${this.total} takeovers, ${this.#rows} rows judged`];
  }
}
