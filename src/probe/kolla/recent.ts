/**
 * Answers that are still good, and those on their way, by question: who asks the same meanwhile gets the same answer, and
 * nothing is asked twice at once.
 */
export class Recent<T> {
  readonly #entries = new Map<string, Promise<T>>();
  readonly #keepMs: number;
  readonly #most: number;

  /**
   * @param keepMs how long an answer is good
   * @param most questions that are kept; beyond, the oldest is forgotten
   */
  constructor(keepMs: number, most: number) {
    this.#keepMs = keepMs;
    this.#most = most;
  }

  get(key: string, ask: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const asked = ask();
    this.#entries.set(key, asked);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#most && oldest !== undefined) this.#entries.delete(oldest);
    const forget = () => {
      if (this.#entries.get(key) === asked) this.#entries.delete(key);
    };
    asked.then(() => setTimeout(forget, this.#keepMs).unref(), forget);
    return asked;
  }
}
