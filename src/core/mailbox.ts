/** A queue from a producer to a consumer, which reads messages in order and at its own pace. */
export class Mailbox<T> {
  readonly #letters: T[] = [];
  #failure: { readonly error: unknown } | undefined;
  #wake: () => void = () => {};

  put(letter: T): void {
    this.#letters.push(letter);
    this.#wake();
  }

  /** The error that the reader gets after all messages. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.#wake();
  }

  /** Iterates over all past and future messages. Throws the error of fail(), or the signal's reason. */
  async *letters(signal: AbortSignal): AsyncGenerator<T> {
    const wake = () => this.#wake();
    signal.addEventListener('abort', wake);
    try {
      for (;;) {
        signal.throwIfAborted();
        const letter = this.#letters.shift();
        if (letter !== undefined) yield letter;
        else if (this.#failure !== undefined) throw this.#failure.error;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }
}
