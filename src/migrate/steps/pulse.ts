/**
 * When the lock was last confirmed, for the guard of the command, which must end the command by itself when we can't:
 * a helper that is frozen hears of no lost lock.
 */
export class Pulse {
  readonly #endsAt: () => number;
  readonly #listeners = new Set<() => void>();

  /** @param endsAt by performance.now(): when the command must be gone, as of what was confirmed until now */
  constructor(endsAt: () => number) {
    this.#endsAt = endsAt;
  }

  /** How long the command may go on when nothing more is confirmed. */
  leftMs(): number {
    return this.#endsAt() - performance.now();
  }

  /** The lock was confirmed. */
  beat(): void {
    for (const listener of this.#listeners) listener();
  }

  onBeat(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}
