import { isIPv6, type Socket } from 'node:net';

/** Delay of the next attempt (RFC 8305, 5). */
const NEXT_MS = 250;
/** How long IPv4 addresses wait for the lookup of IPv6 ones (RFC 8305, 3). */
const RESOLUTION_MS = 50;

/**
 * Connects to the addresses of one name, as they are found: IPv6 and IPv4 in turn, the next one after 250 ms or when one
 * has failed. No attempt is given up while others run, because a lost packet is sent again only after a second.
 */
export class Race implements Disposable {
  readonly #open: (address: string) => Socket;
  readonly #seen = new Set<string>();
  readonly #untried: string[] = [];
  readonly #running = new Set<Socket>();
  readonly #failures: NodeJS.ErrnoException[] = [];
  readonly #result = Promise.withResolvers<Socket>();
  #timer: NodeJS.Timeout | undefined;
  #isStarted = false;
  #isComplete = false;
  /** Whether the last attempt was to an IPv6 address. */
  #wasIPv6 = false;

  /** @param open starts a connection */
  constructor(open: (address: string) => Socket) {
    this.#open = open;
  }

  /** The first connection; rejects with the system's error, of several addresses as AggregateError. */
  get winner(): Promise<Socket> {
    return this.#result.promise;
  }

  get isWithoutAddress(): boolean {
    return this.#seen.size === 0;
  }

  add(addresses: readonly string[]): void {
    for (const address of addresses) {
      if (this.#seen.has(address)) continue;
      this.#seen.add(address);
      this.#untried.push(address);
    }
    const isDue = this.#isStarted ? this.#timer === undefined : addresses.some(isIPv6);
    if (isDue) this.#next();
    else this.#timer ??= setTimeout(() => this.#next(), RESOLUTION_MS);
  }

  /** Called when no further address will be added. */
  complete(): void {
    this.#isComplete = true;
    if (this.#isStarted) this.#endIfLost();
    else this.#next();
  }

  fail(error: unknown): void {
    this.#result.reject(error);
  }

  /** Closes all connections but the winner's. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    for (const socket of this.#running) socket.destroy();
    this.#running.clear();
  }

  #next(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isStarted = true;
    const other = this.#untried.findIndex((each) => isIPv6(each) !== this.#wasIPv6);
    const [address] = this.#untried.splice(Math.max(0, other), 1);
    if (address === undefined) return this.#endIfLost();
    this.#wasIPv6 = isIPv6(address);
    this.#timer = setTimeout(() => this.#next(), NEXT_MS);
    const socket = this.#open(address);
    this.#running.add(socket);
    const failed = (error: NodeJS.ErrnoException) => {
      if (!this.#running.delete(socket)) return;
      this.#failures.push(error);
      this.#next();
    };
    socket.on('error', failed);
    socket.once('connect', () => {
      if (!this.#running.delete(socket)) return;
      socket.off('error', failed);
      this.#result.resolve(socket);
    });
  }

  #endIfLost(): void {
    if (!this.#isComplete || this.#running.size > 0 || this.#untried.length > 0) return;
    const [first] = this.#failures;
    // As in Node: the errors of all addresses, with the code of the first one.
    this.fail(
      this.#failures.length > 1 ? Object.assign(new AggregateError(this.#failures), { code: first?.code }) : first,
    );
  }
}
