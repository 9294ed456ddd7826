/**
 * Tracks when the lock was last confirmed, for the command's guard, which must kill the command by itself if we cannot:
 * a frozen helper does not notice a lost lock.
 */
export class Pulse {
  readonly #endsAt: () => number;
  readonly #listeners = new Set<() => void>();

  /**
   * @param endsAt when the command must have ended according to the confirmations so far, in terms of performance.now()
   */
  constructor(endsAt: () => number) {
    this.#endsAt = endsAt;
  }

  /** How long the command may run without another confirmation. */
  leftMs(): number {
    return this.#endsAt() - performance.now();
  }

  /** Called when the lock was confirmed. */
  beat(): void {
    for (const listener of this.#listeners) listener();
  }

  onBeat(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}
