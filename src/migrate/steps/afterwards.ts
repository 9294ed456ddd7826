import type { Step } from '../../catalog/index.ts';

/** Watches a command's output for what it does once its schema is complete. */
export class AfterwardsLines {
  readonly #begins: RegExp | undefined;
  readonly #fails: RegExp | undefined;
  #failures = 0;
  hasBegun = false;

  constructor(afterwards: Step['afterwards']) {
    this.#begins = afterwards && new RegExp(afterwards.begins);
    this.#fails = afterwards && new RegExp(afterwards.fails);
  }

  /** @param line without secrets and control characters */
  add(line: string): void {
    this.hasBegun ||= this.#begins?.test(line) === true;
    if (this.#fails?.test(line) === true) this.#failures++;
  }

  /** How many parts have failed, as the command has printed. */
  get failures(): number {
    return this.#failures;
  }
}
