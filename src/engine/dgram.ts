/** The part of `node:dgram` that kolla-core uses: a UDP socket with one peer. */
import { Buffer } from './runtime/buffer.ts';
import { Emitter } from './runtime/emitter.ts';
import { systemError } from './runtime/errors.ts';
import { POLLIN, unwatch, watch } from './runtime/loop.ts';
import { begin, EAGAIN, openUdp } from './net/socket.ts';

const PACKET_MAX_BYTES = 65_535;

export class Socket extends Emitter<{ message: [Buffer]; error: [Error] }> {
  readonly #isIPv6: boolean;
  #fd = -1;

  constructor(isIPv6: boolean) {
    super();
    this.#isIPv6 = isIPv6;
  }

  /** @param then called before this returns, with the system's error if it fails */
  connect(port: number, address: string, then: (error?: Error) => void): void {
    try {
      this.#fd = openUdp(this.#isIPv6);
      begin(this.#fd, { address, port });
      watch(this.#fd, POLLIN, () => this.#receive());
    } catch (error) {
      return then(error as Error);
    }
    return then();
  }

  send(bytes: Uint8Array): void {
    const sent = sys.write(this.#fd, bytes, 0, bytes.length, -1);
    if (sent < 0) this.emit('error', systemError(sent, 'send'));
  }

  close(): void {
    if (this.#fd === -1) return;
    unwatch(this.#fd);
    sys.close(this.#fd);
    this.#fd = -1;
  }

  #receive(): void {
    const bytes = Buffer.alloc(PACKET_MAX_BYTES);
    const length = sys.read(this.#fd, bytes, 0, bytes.length, -1);
    if (length >= 0) this.emit('message', bytes.subarray(0, length));
    else if (length !== EAGAIN) this.emit('error', systemError(length, 'recv'));
  }
}

export function createSocket(type: 'udp4' | 'udp6'): Socket {
  return new Socket(type === 'udp6');
}
