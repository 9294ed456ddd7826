/** A host that failed is passed over so long, while others answer. */
const PASSED_OVER_MS = 10_000;

/** Whose turn it is among the hosts of one cluster. */
export class Hosts {
  readonly #urls: readonly URL[];
  readonly #now: () => number;
  readonly #failedMs = new Map<URL, number>();
  #next = 0;

  /** @param now in milliseconds, and never going back */
  constructor(urls: readonly URL[], now: () => number) {
    this.#urls = urls;
    this.#now = now;
  }

  /** All of them, in the order to try them for the next request: each in turn, those that failed lately last. */
  order(): URL[] {
    const count = this.#urls.length;
    const first = this.#next;
    this.#next = (first + 1) % count;
    const turn = [...this.#urls.slice(first), ...this.#urls.slice(0, first)];
    const now = this.#now();
    const isPassedOver = (url: URL) => now - (this.#failedMs.get(url) ?? -Infinity) < PASSED_OVER_MS;
    return [...turn.filter((url) => !isPassedOver(url)), ...turn.filter(isPassedOver)];
  }

  failed(url: URL): void {
    this.#failedMs.set(url, this.#now());
  }

  answered(url: URL): void {
    this.#failedMs.delete(url);
  }
}
