/** What carries bytes over a connected descriptor: itself, or TLS. */
import { done, systemError } from '../runtime/errors.ts';
import { POLLIN, POLLOUT } from '../runtime/loop.ts';
import { EAGAIN } from './socket.ts';

export interface Layer {
  /** Whether read() has more to say after bytes that it has returned, which the descriptor does not announce. */
  readonly hasMore: boolean;
  /** @returns the number of bytes; 0 at the end; EAGAIN. @throws the connection's error */
  read(into: Uint8Array): number;
  /** @returns the number of bytes, or EAGAIN. @throws the connection's error */
  write(bytes: Uint8Array): number;
  /** Sends the end of our data. */
  end(): void;
  /** The events that must be polled for. */
  events(isReading: boolean, isWriting: boolean): number;
  free(): void;
}

export class PlainLayer implements Layer {
  readonly hasMore = false;
  readonly #fd: number;

  constructor(fd: number) {
    this.#fd = fd;
  }

  read(into: Uint8Array): number {
    const length = sys.read(this.#fd, into, 0, into.length, -1);
    return length === EAGAIN ? length : done(length, 'read');
  }

  write(bytes: Uint8Array): number {
    const length = sys.write(this.#fd, bytes, 0, bytes.length, -1);
    if (length < 0 && length !== EAGAIN) throw systemError(length, 'write');
    return length;
  }

  end(): void {
    sys.shutdown(this.#fd);
  }

  events(isReading: boolean, isWriting: boolean): number {
    return (isReading ? POLLIN : 0) | (isWriting ? POLLOUT : 0);
  }

  free(): void {}
}
