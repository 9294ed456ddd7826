/**
 * A connection with the interface of `node:net`.
 *
 *   address and port -> 'connect' -> 'data' ... 'end' -> 'close'. Names are resolved by src/net/dial/dial.ts
 *   an accepted descriptor -> 'data' ... 'end' -> 'close'
 *   the bytes of either go through a layer: as they are, or by TLS (src/engine/tls/)
 *
 * An error is 'error', then 'close'. Nothing is written or read after destroy().
 */
import { AbortController, type AbortSignal } from '../runtime/abort.ts';
import { Buffer } from '../runtime/buffer.ts';
import { Emitter } from '../runtime/emitter.ts';
import { POLLOUT, setImmediate, unwatch, watch } from '../runtime/loop.ts';
import type { Endpoint, LocalEndpoint } from './address.ts';
import { PlainLayer, type Layer } from './layer.ts';
import { begin, EAGAIN, openTcp, openUnix, outcomeOf, peerOf, setKeepAlive, setNoDelay, Waited } from './socket.ts';

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
  /** Of TLS: the handshake is done. */
  secureConnect: [];
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
  #layer: Layer | undefined;
  /** Bytes not yet written, none of them empty: the caller's own, since a body may have megabytes. */
  #unsent: Uint8Array[] = [];
  readonly #allowHalfOpen: boolean;
  #isEnding = false;
  #onSent: (() => void) | undefined;
  #isPaused = false;
  /** Whether the connection keeps the process alive. */
  #isHeld = true;
  /** Which directions are closed. */
  #isSent = false;
  #isRead = false;
  /** The events that are polled for. */
  #events = 0;

  constructor({ allowHalfOpen = false }: SocketOptions = {}) {
    super();
    this.#allowHalfOpen = allowHalfOpen;
  }

  /** The number of bytes that are not sent yet. */
  get writableLength(): number {
    return this.#unsent.reduce((sum, { length }) => sum + length, 0);
  }

  get writableNeedDrain(): boolean {
    return this.#unsent.length > 0;
  }

  /** Starts on a connected descriptor. Called once, like start(). */
  adopt(fd: number, layer?: Layer): this {
    this.#connected(fd, layer);
    return this;
  }

  /** Ends this object, but not the connection, whose descriptor is the caller's from now on. */
  release(): number {
    const fd = this.#fd;
    unwatch(fd);
    this.#fd = -1;
    this.destroyed = true;
    this.forget();
    return fd;
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
    if (bytes.length > 0) this.#unsent.push(bytes);
    if (this.#fd !== -1) this.#send();
    return this.#unsent.length === 0;
  }

  /**
   * Nothing is written after this.
   * @param last content, or what is called when everything is sent
   */
  end(last?: string | Uint8Array | (() => void)): this {
    this.#isEnding = true;
    if (typeof last === 'function') this.#onSent = last;
    if (last !== undefined && typeof last !== 'function') this.write(last);
    else if (this.#fd !== -1) this.#send();
    return this;
  }

  /** No 'data' until resume(). */
  pause(): this {
    this.#isPaused = true;
    this.#watch();
    return this;
  }

  resume(): this {
    if (!this.#isPaused) return this;
    this.#isPaused = false;
    // What the layer holds already is nothing that the descriptor would announce.
    setImmediate(() => this.#ready());
    return this;
  }

  ref(): this {
    return this.#hold(true);
  }

  unref(): this {
    return this.#hold(false);
  }

  setNoDelay(isOn: boolean): this {
    setNoDelay(this.#fd, isOn);
    return this;
  }

  /** @param intervalMs after which a silent peer is asked, in milliseconds */
  setKeepAlive(isOn: boolean, intervalMs: number): this {
    setKeepAlive(this.#fd, isOn, intervalMs);
    return this;
  }

  destroy(error?: Error): this {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.#over.abort(error);
    if (this.#fd !== -1) {
      unwatch(this.#fd);
      this.#layer?.free();
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

  #connected(fd: number, layer: Layer = new PlainLayer(fd)): void {
    if (this.destroyed) {
      sys.close(fd);
      return;
    }
    this.#fd = fd;
    this.#layer = layer;
    const peer = peerOf(fd);
    if (peer !== undefined) [this.remoteAddress, this.remotePort] = [peer.address, peer.port];
    this.emit('connect');
    this.#send();
  }

  #send(): void {
    for (let first = this.#unsent[0]; !this.destroyed && first !== undefined; first = this.#unsent[0]) {
      const sent = this.#asked((layer) => layer.write(first));
      if (sent === undefined) return;
      if (sent === EAGAIN) break;
      if (sent === first.length) this.#unsent.shift();
      else this.#unsent[0] = first.subarray(sent);
    }
    if (this.destroyed) return;
    if (this.#isEnding && this.#unsent.length === 0 && !this.#isSent) {
      this.#isSent = true;
      this.#layer!.end();
      if (this.#onSent !== undefined) setImmediate(this.#onSent);
    }
    this.#watch();
  }

  /** What the layer returns; undefined if it failed, and this connection with it. */
  #asked(call: (layer: Layer) => number): number | undefined {
    try {
      return call(this.#layer!);
    } catch (error) {
      this.destroy(error as Error);
      return undefined;
    }
  }

  #watch(): void {
    if (this.#fd === -1 || this.destroyed) return;
    if (this.#isSent && this.#isRead) return void this.destroy();
    const events = this.#layer!.events(!this.#isRead && !this.#isPaused, this.#unsent.length > 0);
    if (events === this.#events) return;
    this.#events = events;
    if (events === 0) unwatch(this.#fd);
    else watch(this.#fd, events, () => this.#ready(), this.#isHeld);
  }

  #hold(isHeld: boolean): this {
    this.#isHeld = isHeld;
    this.#events = 0;
    this.#watch();
    return this;
  }

  #ready(): void {
    // Before what is not sent yet, because a server may respond early, and then reset the connection.
    if (!this.#isRead && !this.#isPaused) this.#receive();
    if (this.destroyed) return;
    if (this.#unsent.length > 0) this.#send();
    this.#watch();
  }

  #receive(): void {
    chunk ??= new Uint8Array(CHUNK_BYTES);
    const length = this.#asked((layer) => layer.read(chunk!));
    if (length === undefined) return;
    if (length > 0) this.emit('data', Buffer.from(chunk.subarray(0, length)));
    else if (length === 0) this.#ended();
    if (length > 0 && this.#layer!.hasMore) setImmediate(() => this.#ready());
  }

  #ended(): void {
    this.#isRead = true;
    this.emit('end');
    if (this.destroyed) return;
    if (!this.#allowHalfOpen) this.end();
  }
}
