/** A limited number of places, taken in the order of the calls. */
export class Places {
  #left: number;
  readonly #queue: (() => void)[] = [];

  constructor(count: number) {
    this.#left = count;
  }

  /**
   * @returns gives the place back; further calls of it have no effect
   * @throws the signal's reason
   */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#left > 0) this.#left--;
    else await this.#turn(signal);
    let isTaken = true;
    return () => {
      if (isTaken) this.#leave();
      isTaken = false;
    };
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = () => {
      this.#queue.splice(this.#queue.indexOf(resolve), 1);
      reject(signal.reason);
    };
    this.#queue.push(resolve);
    signal.addEventListener('abort', abort, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  #leave(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#left++;
    else next();
  }
}
