/** Bytes for stdout, written as its reader takes them, so that a reader that has stopped does not stop us. */
import { systemError } from './runtime/errors.ts';
import { POLLOUT, unwatch, watch } from './runtime/loop.ts';

export type Written = (error?: Error) => void;

interface Piece {
  readonly bytes: Uint8Array;
  at: number;
  readonly onWritten: Written;
}

const [EINTR, EAGAIN] = [-4, -11];
/**
 * A pipe with room for anything takes this much without blocking (PIPE_BUF). It is not made non-blocking, because other
 * processes that share it would get errors.
 */
const PIECE_BYTES = 4096;

export class OutputQueue {
  readonly #fd: number;
  readonly #pieces: Piece[] = [];

  constructor(fd: number) {
    this.#fd = fd;
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  /** @param onWritten called once, with an error if they are not written; the bytes must not change before */
  push(bytes: Uint8Array, onWritten: Written): void {
    if (this.#pieces.push({ bytes, at: 0, onWritten }) === 1) watch(this.#fd, POLLOUT, () => this.#ready());
  }

  #ready(): void {
    for (let first = this.#pieces[0]; first !== undefined; first = this.#pieces[0]) {
      const length = Math.min(PIECE_BYTES, first.bytes.length - first.at);
      const written = sys.write(this.#fd, first.bytes, first.at, length, -1);
      if (written === EAGAIN) return;
      if (written < 0 && written !== EINTR) return this.#fail(systemError(written, 'write'));
      first.at += Math.max(0, written);
      if (first.at === first.bytes.length) this.#pieces.shift()!.onWritten();
      if (!this.isEmpty && sys.poll(Int32Array.of(this.#fd, POLLOUT).buffer, 0) === 0) return;
    }
    unwatch(this.#fd);
  }

  #fail(error: Error): void {
    unwatch(this.#fd);
    for (const { onWritten } of this.#pieces.splice(0)) onWritten(error);
  }
}
