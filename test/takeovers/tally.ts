/** How many takeovers of each kind there were, and how long they took. */
export class Tally {
  readonly #taken = new Map<string, number[]>();
  #spoiled = 0;

  /** @param ms from the fault to the successor's first row */
  count(fault: string, ms: number): void {
    this.#taken.set(fault, [...(this.#taken.get(fault) ?? []), ms]);
  }

  /** One whose holder had lost its lease before the fault came. */
  spoil(): void {
    this.#spoiled += 1;
  }

  get spoiled(): number {
    return this.#spoiled;
  }

  get total(): number {
    return [...this.#taken.values()].reduce((sum, { length }) => sum + length, 0);
  }

  of(fault: string): number {
    return this.#taken.get(fault)?.length ?? 0;
  }

  /** One line a fault. */
  lines(): string[] {
    return [...this.#taken].map(([fault, taken]) => {
      const sorted = taken.toSorted((a, b) => a - b);
      const seconds = (ms = NaN) => (ms / 1000).toFixed(1);
      const median = sorted[Math.floor(sorted.length / 2)];
      return `${fault}: ${taken.length} takeovers, after ${seconds(sorted[0])} to ${seconds(sorted.at(-1))} s, half of them within ${seconds(median)} s`;
    });
  }
}
