/** Accepts connections for net.ts. */
import { codeOf } from '../../core/errors.ts';
import { Emitter } from '../runtime/emitter.ts';
import { systemError } from '../runtime/errors.ts';
import { clearTimeout, POLLIN, setImmediate, setTimeout, unwatch, watch, type Timer } from '../runtime/loop.ts';
import type { Endpoint } from './address.ts';
import type { Socket } from './connection.ts';
import { EAGAIN, listenOn, ownOf } from './socket.ts';
import { AT } from '../runtime/sys.ts';

/** The host is an IP address. Without it, the server listens on all IPv6 and IPv4 addresses. */
interface ListenOptions {
  readonly host?: string;
  readonly port: number;
}

interface ServerEvents extends Record<string, readonly unknown[]> {
  listening: [];
  error: [Error];
  close: [];
}

/** The process is long-lived, so the cycle collector runs earlier than in a short-lived one. */
const CYCLES_FROM_BYTES = 2 * 1024 * 1024;
const ECONNABORTED = -103;
/** Delay before accept is retried when no descriptor is free. */
const RETRY_MS = 100;

/** @typeParam C the type of a connection */
export class Server<
  C extends { once(event: 'close', call: () => void): unknown } = Socket,
> extends Emitter<ServerEvents> {
  readonly #adopt: (fd: number) => C;
  readonly #onConnection: (connection: C) => void;
  #fd = -1;
  #open = 0;
  #isClosing = false;
  #retry: Timer | undefined;
  #path: string | undefined;
  #isHeld = true;

  constructor(adopt: (fd: number) => C, onConnection: (connection: C) => void) {
    super();
    this.#adopt = adopt;
    this.#onConnection = onConnection;
  }

  /** @param at an address, or the path of a Unix socket, which is removed on close */
  listen(at: ListenOptions | string, then: () => void): this {
    this.once('listening', then);
    setImmediate(() => this.#start(at));
    return this;
  }

  /** The address it listens on. */
  address(): Endpoint | undefined {
    return ownOf(this.#fd);
  }

  /**
   * Stops accepting.
   * @param then called after the last connection was closed
   */
  close(then: () => void): this {
    this.once('close', then);
    clearTimeout(this.#retry);
    unwatch(this.#fd);
    sys.close(this.#fd);
    if (this.#path !== undefined) sys.unlink(AT.cwd, this.#path, 0);
    this.#isClosing = true;
    setImmediate(() => this.#closed());
    return this;
  }

  /** It does not keep the process alive. */
  unref(): this {
    this.#isHeld = false;
    this.#watch();
    return this;
  }

  #start(at: ListenOptions | string): void {
    try {
      this.#fd = typeof at === 'string' ? listenOn({ path: at }) : descriptorFor(at);
      if (typeof at === 'string') this.#path = at;
    } catch (error) {
      return this.#fail(error as Error);
    }
    this.#watch();
    sys.cyclesFrom(CYCLES_FROM_BYTES);
    this.emit('listening');
  }

  #watch(): void {
    watch(this.#fd, POLLIN, () => this.#accept(), this.#isHeld);
  }

  #accept(): void {
    const fd = sys.accept(this.#fd);
    if (fd === EAGAIN || fd === ECONNABORTED) return;
    if (fd < 0) {
      unwatch(this.#fd);
      this.#retry = setTimeout(() => this.#watch(), RETRY_MS);
      this.#fail(systemError(fd, 'accept'));
      return;
    }
    const connection = this.#adopt(fd);
    this.#open++;
    connection.once('close', () => {
      this.#open--;
      this.#closed();
    });
    this.#onConnection(connection);
  }

  #closed(): void {
    if (this.#isClosing && this.#open === 0) this.emit('close');
  }

  #fail(error: Error): void {
    if (!this.emit('error', error)) throw error;
  }
}

function descriptorFor({ host, port }: ListenOptions): number {
  if (host !== undefined) return listenOn({ address: host, port });
  try {
    return listenOn({ address: '::', port });
  } catch (error) {
    if (codeOf(error) === 'EADDRINUSE') throw error;
    // The machine has no IPv6. Any other error occurs again below.
    return listenOn({ address: '0.0.0.0', port });
  }
}
