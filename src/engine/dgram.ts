/** The part of `node:dgram` that kolla-core uses: a UDP socket, with one peer or bound to an address. */
import { Buffer } from './runtime/buffer.ts';
import { Emitter } from './runtime/emitter.ts';
import { systemError } from './runtime/errors.ts';
import { POLLIN, setImmediate, unwatch, watch } from './runtime/loop.ts';
import { bytesOf, type Endpoint } from './net/address.ts';
import { begin, EAGAIN, openUdp, ownOf, setReceiveBuffer } from './net/socket.ts';

const PACKET_MAX_BYTES = 65_535;
/** Packets that are read before others have their turn, as in Node. */
const AT_ONCE = 32;
const CLOSED = -1;

interface SocketEvents extends Record<string, readonly unknown[]> {
  listening: [];
  message: [Buffer];
  error: [Error];
  close: [];
}

interface SocketOptions {
  readonly type: 'udp4' | 'udp6';
  /** Requested size of the kernel's buffer in bytes. */
  readonly recvBufferSize?: number;
}

/** Where packets are read to, before they are copied. */
let packet: Uint8Array | undefined;

export class Socket extends Emitter<SocketEvents> {
  readonly #options: SocketOptions;
  #fd = CLOSED;

  constructor(options: SocketOptions) {
    super();
    this.#options = options;
  }

  /** @param then called before this returns, with the system's error if it fails */
  connect(port: number, address: string, then: (error?: Error) => void): void {
    try {
      this.#open();
      begin(this.#fd, { address, port });
    } catch (error) {
      return then(error as Error);
    }
    return then();
  }

  /** 'listening' or 'error' follows. */
  bind(port: number, address: string): this {
    setImmediate(() => {
      try {
        this.#open();
        this.#bind({ address, port });
        this.emit('listening');
      } catch (error) {
        this.emit('error', error as Error);
      }
    });
    return this;
  }

  /** The address it is bound to. */
  address(): Endpoint {
    const own = ownOf(this.#fd);
    if (own === undefined) throw systemError(EBADF, 'getsockname');
    return own;
  }

  send(bytes: Uint8Array): void {
    const sent = sys.write(this.#fd, bytes, 0, bytes.length, -1);
    if (sent < 0) this.emit('error', systemError(sent, 'send'));
  }

  close(): void {
    if (this.#fd === CLOSED) return;
    unwatch(this.#fd);
    sys.close(this.#fd);
    this.#fd = CLOSED;
    setImmediate(() => this.emit('close'));
  }

  #open(): void {
    const { type, recvBufferSize } = this.#options;
    this.#fd = openUdp(type === 'udp6');
    if (recvBufferSize !== undefined) setReceiveBuffer(this.#fd, recvBufferSize);
    watch(this.#fd, POLLIN, () => this.#receive());
  }

  /** Throws Node's error: `bind EADDRINUSE 127.0.0.1:514`. */
  #bind(at: Endpoint): void {
    const result = sys.bind(this.#fd, bytesOf(at));
    if (result >= 0) return;
    this.close();
    const error = systemError(result, 'bind');
    error.message = `bind ${error.code} ${at.address}:${at.port}`;
    throw Object.assign(error, at);
  }

  #receive(): void {
    packet ??= new Uint8Array(PACKET_MAX_BYTES);
    for (let i = 0; i < AT_ONCE && this.#fd !== CLOSED; i++) {
      const length = sys.read(this.#fd, packet, 0, packet.length, -1);
      if (length === EAGAIN) return;
      if (length < 0) this.emit('error', systemError(length, 'recv'));
      else this.emit('message', Buffer.from(packet.subarray(0, length)));
    }
  }
}

const EBADF = -9;

export function createSocket(options: SocketOptions | SocketOptions['type']): Socket {
  return new Socket(typeof options === 'string' ? { type: options } : options);
}
