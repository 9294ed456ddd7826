import type { Headers } from '../codec/head.ts';
import type { AnswerHead } from '../codec/answer.ts';

/** What a response's reader may do to the connection. */
export interface Flow {
  pause(): void;
  resume(): void;
  destroy(): void;
}

/** Of a body, how much is received before its reader takes it. */
const AHEAD_MAX_BYTES = 262_144;

/** A response whose body is read as it comes, by one reader. The connection waits for a slow one. */
export class StreamedAnswer implements AsyncIterable<Buffer> {
  readonly status: number;
  readonly headers: Headers;
  readonly #flow: Flow;
  #pieces: Buffer[] = [];
  #aheadBytes = 0;
  #isOver = false;
  #isWhole = false;
  #failure: unknown;
  #wake = () => {};
  #onOver = () => {};

  constructor({ status, headers }: AnswerHead, flow: Flow) {
    this.status = status;
    this.headers = headers;
    this.#flow = flow;
  }

  /** Whether the body was received to its end. */
  get complete(): boolean {
    return this.#isWhole;
  }

  /** Calls back once no more is received: at the body's end, after a failure, after destroy(). At once if it is so already. */
  onOver(call: () => void): void {
    if (this.#isOver) call();
    else this.#onOver = call;
  }

  /** @throws the connection's error, also for a body that is broken off; what was given to destroy() */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const piece = this.#pieces.shift();
        if (piece !== undefined) {
          this.#aheadBytes -= piece.length;
          if (!this.#isOver && this.#aheadBytes < AHEAD_MAX_BYTES) this.#flow.resume();
          yield piece;
        } else if (this.#failure !== undefined) {
          throw this.#failure;
        } else if (this.#isOver) {
          return;
        } else {
          await new Promise<void>((resolve) => (this.#wake = resolve));
        }
      }
    } finally {
      this.destroy();
    }
  }

  /** Closes the connection, unless the body was received. Nothing more is read. */
  destroy(error?: Error): void {
    this.#pieces = [];
    if (this.#isOver) return;
    this.fail(error);
    this.#flow.destroy();
  }

  /** Called by the connection, as the next two. */
  push(piece: Buffer): void {
    if (this.#isOver) return;
    this.#pieces.push(piece);
    this.#aheadBytes += piece.length;
    if (this.#aheadBytes >= AHEAD_MAX_BYTES) this.#flow.pause();
    this.#wake();
  }

  end(): void {
    this.#isWhole = true;
    this.#stop();
  }

  fail(error: unknown): void {
    this.#failure ??= error;
    this.#stop();
  }

  #stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#wake();
    this.#onOver();
  }
}
