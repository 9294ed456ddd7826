import type { Document } from './document.ts';

/** How many requests are on their way at once: one while the server works on the other. */
const LANES = 2;

/** Sends batches, two at a time, in the order they were offered. The first failure ends it. */
export class Outbox {
  readonly #send: (batch: readonly Document[]) => Promise<void>;
  readonly #failed: (error: unknown) => void;
  readonly #queue: (readonly Document[])[] = [];
  readonly #lanes = new Set<Promise<void>>();

  /**
   * @param send rejects only for what ends the program
   * @param failed told once that happens
   */
  constructor(send: (batch: readonly Document[]) => Promise<void>, failed: (error: unknown) => void) {
    this.#send = send;
    this.#failed = failed;
  }

  /** Whether a batch would leave at once. */
  get isFree(): boolean {
    return this.#lanes.size < LANES;
  }

  offer(batch: readonly Document[]): void {
    this.#queue.push(batch);
    if (!this.isFree) return;
    const lane: Promise<void> = this.#drain().finally(() => this.#lanes.delete(lane));
    this.#lanes.add(lane);
  }

  /** Resolves when nothing is on its way, be it that all is settled or that sending has failed. */
  async idle(): Promise<void> {
    while (this.#lanes.size > 0) await Promise.all(this.#lanes);
  }

  async #drain(): Promise<void> {
    try {
      for (let batch = this.#queue.shift(); batch !== undefined; batch = this.#queue.shift()) await this.#send(batch);
    } catch (error) {
      this.#queue.length = 0;
      this.#failed(error);
    }
  }
}
