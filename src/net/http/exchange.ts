import type { Socket } from 'node:net';
import { headText, HttpParseError, type Headers } from '../codec/head.ts';
import { RequestReader, type RequestHead } from '../codec/request.ts';

/** A full response. */
export interface Answer {
  readonly status: Status;
  readonly body: string;
  /** Content type; the default is plain text. */
  readonly type?: string;
  /** Additional headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

const REASONS = {
  200: 'OK',
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
} as const;
type Status = keyof typeof REASONS;

/** Maximum size of a request; a probe's request has some 200 bytes. */
const HEAD_MAX_BYTES = 4096;
/** Timeout of a request; the kubelet's default timeout is one second. */
const REQUEST_MS = 5000;
/** Timeout for a client that reads slowly or does not close its connection. */
const ANSWER_MS = 60_000;

/**
 * One connection with one request and one response, after which it is closed: probes reconnect. Only the request's head
 * is read; other data from the client is dropped.
 */
export class Exchange {
  readonly remoteAddress: string | undefined;
  readonly #socket: Socket;
  readonly #reader = new RequestReader(HEAD_MAX_BYTES);
  #head: RequestHead | undefined;
  #isAnswered = false;
  /** Deadline in terms of performance.now(). */
  #until = performance.now() + REQUEST_MS;

  /** @param onRequest called when the head is complete */
  constructor(socket: Socket, onRequest: (exchange: Exchange) => void) {
    this.#socket = socket;
    this.remoteAddress = socket.remoteAddress;
    socket.on('data', (piece: Uint8Array) => this.#take(piece, onRequest));
    socket.on('error', () => socket.destroy());
    socket.on('end', () => {
      if (this.#head === undefined || this.#isStream) socket.destroy();
    });
  }

  #isStream = false;

  get method(): string {
    return this.#head?.method ?? '';
  }

  get target(): string {
    return this.#head?.target ?? '';
  }

  get headers(): Headers {
    return this.#head?.headers ?? new Map();
  }

  /** Sends a full response; for HEAD without its body. */
  respond({ status, body, type = 'text/plain; charset=utf-8', headers = {} }: Answer): void {
    const length = ['content-length', String(Buffer.byteLength(body))] as const;
    const head = this.#begin(status, type, [length, ...Object.entries(headers)]);
    this.#socket.end(this.method === 'HEAD' ? head : head + body);
  }

  /** Sends the head of a response that continues until the client closes it, or until end(). */
  stream(type: string): void {
    this.#isStream = true;
    this.#socket.write(this.#begin(200, type, []));
    this.#until = Infinity;
  }

  /** Sends a piece of a stream. */
  write(text: string): void {
    this.#socket.write(text);
  }

  end(): void {
    this.#socket.end();
    this.#until = performance.now() + ANSWER_MS;
  }

  /** Whether the client has not yet read everything that was written. */
  get isBehind(): boolean {
    return this.#socket.writableNeedDrain;
  }

  onClose(call: () => void): void {
    this.#socket.once('close', call);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /**
   * Ends an exchange whose deadline has passed.
   * @param now the current time of performance.now()
   */
  expire(now: number): void {
    if (now < this.#until) return;
    if (this.#isAnswered) this.destroy();
    else this.#refuse(408);
  }

  #take(piece: Uint8Array, onRequest: (exchange: Exchange) => void): void {
    if (this.#head !== undefined || this.#isAnswered) return;
    try {
      this.#head = this.#reader.push(piece);
    } catch (error) {
      if (!(error instanceof HttpParseError)) throw error;
      this.#refuse(error.isTooLong ? 431 : 400);
      return;
    }
    if (this.#head !== undefined) onRequest(this);
  }

  #refuse(status: Status): void {
    this.respond({ status, body: `${REASONS[status].toLowerCase()}\n` });
    // The connection of a client that sends an invalid request is closed earlier than others.
    this.#until = performance.now() + REQUEST_MS;
  }

  #begin(status: Status, type: string, headers: readonly (readonly [string, string])[]): string {
    this.#isAnswered = true;
    this.#until = performance.now() + ANSWER_MS;
    return headText(`HTTP/1.1 ${status} ${REASONS[status]}`, [
      ['date', new Date().toUTCString()],
      ['content-type', type],
      ['cache-control', 'no-store'],
      ['x-content-type-options', 'nosniff'],
      ['connection', 'close'],
      ...headers,
    ]);
  }
}
