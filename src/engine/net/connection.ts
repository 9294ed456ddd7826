/**
 * A connection with the interface of `node:net`.
 *
 *   address and port -> 'connect' -> 'data' ... 'end' -> 'close'. Names are resolved by src/net/dial/dial.ts
 *   an accepted descriptor -> 'data' ... 'end' -> 'close'
 *
 * An error is 'error', then 'close'. Nothing is written or read after destroy().
 */
import { AbortController, type AbortSignal } from '../runtime/abort.ts';
import { Buffer } from '../runtime/buffer.ts';
import { Emitter } from '../runtime/emitter.ts';
import { systemError } from '../runtime/errors.ts';
import { POLLIN, POLLOUT, setImmediate, unwatch, watch } from '../runtime/loop.ts';
import type { Endpoint, LocalEndpoint } from './address.ts';
import { begin, EAGAIN, openTcp, openUnix, outcomeOf, peerOf, Waited } from './socket.ts';

/** The target. */
export interface TcpNetConnectOpts {
  /** An IP address. */
  readonly host: string;
  readonly port: number;
  /** Aborting this signal destroys the connection. */
  readonly signal?: AbortSignal;
}

/** The path of a Unix socket. */
export interface IpcNetConnectOpts {
  readonly path: string;
  readonly signal?: AbortSignal;
}

interface SocketEvents extends Record<string, readonly unknown[]> {
  connect: [];
  data: [Buffer];
  end: [];
  error: [Error];
  close: [];
}

export interface SocketOptions {
  /** Whether data may still be written after the peer has closed its sending direction. */
  readonly allowHalfOpen?: boolean;
}

const CHUNK_BYTES = 65_536;
/** A shared read buffer. Only one connection uses it at a time. */
let chunk: Uint8Array | undefined;

export class Socket extends Emitter<SocketEvents> {
  remoteAddress?: string;
  remotePort?: number;
  destroyed = false;
  readonly #over = new AbortController();
  #fd = -1;
  /** Bytes not yet written. */
  #unsent: Uint8Array = new Uint8Array();
  readonly #allowHalfOpen: boolean;
  #isEnding = false;
  /** Which directions are closed. */
  #isSent = false;
  #isRead = false;
  /** The events that are polled for. */
  #events = 0;

  constructor({ allowHalfOpen = false }: SocketOptions = {}) {
    super();
    this.#allowHalfOpen = allowHalfOpen;
  }

  get writableNeedDrain(): boolean {
    return this.#unsent.length > 0;
  }

  /** Starts an accepted connection. Called once, like start(). */
  adopt(fd: number): this {
    this.#connected(fd);
    return this;
  }

  /** Starts an outgoing connection. Called once. */
  start(to: TcpNetConnectOpts | IpcNetConnectOpts): void {
    const { signal } = to;
    const abort = () => this.destroy(signal?.reason as Error);
    signal?.addEventListener('abort', abort);
    this.once('close', () => signal?.removeEventListener('abort', abort));
    if (signal?.aborted === true) {
      abort();
      return;
    }
    this.#connect(to).then(
      (fd) => this.#connected(fd),
      (error: unknown) => this.destroy(error as Error),
    );
  }

  write(content: string | Uint8Array): boolean {
    const bytes = typeof content === 'string' ? new Uint8Array(sys.encode(content)) : content;
    this.#unsent = this.#unsent.length === 0 ? bytes : Buffer.concat([this.#unsent, bytes]);
    if (this.#fd !== -1) this.#send();
    return this.#unsent.length === 0;
  }

  /** Nothing is written after this. */
  end(content?: string | Uint8Array): this {
    this.#isEnding = true;
    if (content !== undefined) this.write(content);
    else if (this.#fd !== -1) this.#send();
    return this;
  }

  destroy(error?: Error): this {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.#over.abort(error);
    if (this.#fd !== -1) {
      unwatch(this.#fd);
      sys.close(this.#fd);
    }
    setImmediate(() => {
      if (error !== undefined && !this.emit('error', error)) throw error;
      this.emit('close');
      this.forget();
    });
    return this;
  }

  async #connect(to: TcpNetConnectOpts | IpcNetConnectOpts): Promise<number> {
    if ('path' in to) return await this.#reach(openUnix(), to);
    return await this.#reach(openTcp(to.host), { address: to.host, port: to.port });
  }

  async #reach(fd: number, to: Endpoint | LocalEndpoint): Promise<number> {
    const socket = new Waited(fd, this.#over.signal);
    try {
      if (begin(fd, to)) return fd;
      await socket.ready(POLLOUT);
      const error = outcomeOf(fd, to);
      if (error !== undefined) throw error;
      return fd;
    } catch (error) {
      socket[Symbol.dispose]();
      throw error;
    }
  }

  #connected(fd: number): void {
    if (this.destroyed) {
      sys.close(fd);
      return;
    }
    this.#fd = fd;
    const peer = peerOf(fd);
    if (peer !== undefined) [this.remoteAddress, this.remotePort] = [peer.address, peer.port];
    this.emit('connect');
    this.#send();
  }

  #send(): void {
    while (!this.destroyed && this.#unsent.length > 0) {
      const sent = sys.write(this.#fd, this.#unsent, 0, this.#unsent.length, -1);
      if (sent === EAGAIN) break;
      if (sent < 0) {
        this.destroy(systemError(sent, 'write'));
        return;
      }
      this.#unsent = this.#unsent.subarray(sent);
    }
    if (this.destroyed) return;
    if (this.#isEnding && this.#unsent.length === 0 && !this.#isSent) {
      this.#isSent = true;
      sys.shutdown(this.#fd);
    }
    this.#watch();
  }

  #watch(): void {
    if (this.#isSent && this.#isRead) return void this.destroy();
    const events = (this.#isRead ? 0 : POLLIN) | (this.#unsent.length > 0 ? POLLOUT : 0);
    if (events === this.#events) return;
    this.#events = events;
    if (events === 0) unwatch(this.#fd);
    else watch(this.#fd, events, () => this.#ready());
  }

  #ready(): void {
    if (this.#unsent.length > 0) this.#send();
    if (this.destroyed || this.#isRead) return;
    chunk ??= new Uint8Array(CHUNK_BYTES);
    const length = sys.read(this.#fd, chunk, 0, chunk.length, -1);
    if (length === EAGAIN) return;
    if (length < 0) this.destroy(systemError(length, 'read'));
    else if (length > 0) this.emit('data', Buffer.from(chunk.subarray(0, length)));
    else this.#ended();
  }

  #ended(): void {
    this.#isRead = true;
    this.emit('end');
    if (this.destroyed) return;
    if (this.#allowHalfOpen) this.#watch();
    else this.end();
  }
}
