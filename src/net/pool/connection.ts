import type { Socket } from 'node:net';
import { AnswerReader, type AnswerHead } from '../codec/answer.ts';
import { brokenOff } from '../codec/get.ts';
import { encodeHead } from '../codec/head.ts';
import { StreamedAnswer } from './answer.ts';
import type { Route } from './route.ts';

export interface Request {
  readonly method: string;
  /** Path and query as they are sent. */
  readonly target: string;
  /** Content-Length is set from the length of the body. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Uint8Array | undefined;
  /** Aborts the request, and the reading of its response. */
  readonly signal: AbortSignal;
  /** Timeout of the response's head. */
  readonly answerMs: number;
}

interface Events {
  /** The response was received, and the connection may be used again: for so long, as far as the server says. */
  readonly idle: (serverMs: number) => void;
  readonly closed: () => void;
}

interface Exchange {
  readonly reader: AnswerReader;
  readonly resolve: (answer: StreamedAnswer) => void;
  readonly reject: (error: unknown) => void;
  /** Ends the timeout and the signal's effect. */
  readonly settle: () => void;
  answer?: StreamedAnswer;
}

/** A connection for one request after the other. */
export class KeptConnection {
  readonly route: Route;
  readonly #socket: Socket;
  readonly #events: Events;
  #exchange: Exchange | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  /** @param socket open; from now on this object's */
  constructor(socket: Socket, route: Route, events: Events) {
    this.route = route;
    this.#socket = socket;
    this.#events = events;
    socket.on('data', (piece: Buffer) => this.#read(piece));
    socket.on('error', (error) => this.#fail(error));
    socket.on('end', () => this.#ended());
    socket.on('close', () => {
      this.#fail(undefined);
      events.closed();
    });
  }

  /** Called while there is no other request. Rejects as Pool.send() does, and the connection is closed then. */
  async ask({ method, target, headers, body, signal, answerMs }: Request): Promise<StreamedAnswer> {
    clearTimeout(this.#idleTimer);
    const length = body === undefined ? [] : ([['Content-Length', String(body.length)]] as const);
    const head = encodeHead(`${method} ${target} HTTP/1.1`, [...headers, ...length]);
    const { promise, resolve, reject } = Promise.withResolvers<StreamedAnswer>();
    const timer = setTimeout(() => this.#fail(new Error(`no response in ${answerMs / 1000} s`)), answerMs);
    const abort = () => this.#fail(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const reader = new AnswerReader(
      (answered) => this.#begin(answered, () => clearTimeout(timer)),
      (piece) => this.#exchange?.answer?.push(piece as Buffer),
    );
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
    this.#exchange = { reader, resolve, reject, settle };
    this.#socket.ref();
    // It may have been closed while it was idle.
    if (this.#socket.destroyed) this.#fail(undefined);
    else {
      this.#socket.write(head);
      if (body !== undefined) this.#socket.write(body);
    }
    return await promise;
  }

  /** Closes the connection unless it is used again before. Does not keep the process alive. */
  closeAfter(idleMs: number): void {
    if (idleMs < Infinity) this.#idleTimer = setTimeout(() => this.#fail(undefined), idleMs).unref();
  }

  destroy(error?: Error): void {
    this.#fail(error);
  }

  #begin(head: AnswerHead, inTime: () => void): void {
    const exchange = this.#exchange;
    if (exchange === undefined) return;
    inTime();
    exchange.answer = new StreamedAnswer(head, {
      pause: () => this.#socket.pause(),
      resume: () => this.#socket.resume(),
      destroy: () => this.#fail(undefined),
    });
    exchange.resolve(exchange.answer);
  }

  #read(piece: Buffer): void {
    const exchange = this.#exchange;
    // No request: what follows could be taken for the next response.
    if (exchange === undefined) return void this.#socket.destroy();
    let taken: number;
    try {
      taken = exchange.reader.push(piece);
    } catch (error) {
      return this.#fail(error);
    }
    if (this.#exchange === exchange && exchange.reader.isDone) this.#done(exchange, taken === piece.length);
  }

  #done(exchange: Exchange, isExact: boolean): void {
    this.#exchange = undefined;
    exchange.settle();
    const { head } = exchange.reader;
    // After an early response, such as 413, the rest of the request is not sent.
    if (isExact && isKept(head!) && this.#socket.writableLength === 0) {
      this.#socket.resume();
      this.#socket.unref();
      this.#events.idle(idleMsOf(head!));
    } else {
      this.#socket.destroy();
    }
    exchange.answer?.end();
  }

  #ended(): void {
    const exchange = this.#exchange;
    if (exchange?.reader.end() === true) this.#done(exchange, false);
    else this.#fail(undefined);
  }

  /** @param error undefined if the connection was closed */
  #fail(error: unknown): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    clearTimeout(this.#idleTimer);
    exchange?.settle();
    const failure = error ?? brokenOff(exchange?.reader.head);
    if (exchange?.answer === undefined) exchange?.reject(failure);
    else exchange.answer.fail(failure);
    this.#socket.destroy();
  }
}

/** Of the time that a server keeps a connection: a request on its way must arrive before. */
const BEFORE_CLOSE_MS = 1000;

/** How long the server says that it keeps the connection: `Keep-Alive: timeout=5`. */
function idleMsOf({ headers }: AnswerHead): number {
  const seconds = /(?:^|[,;\s])timeout=(\d+)/i.exec(headers.get('keep-alive') ?? '')?.[1];
  return seconds === undefined ? Infinity : Number(seconds) * 1000 - BEFORE_CLOSE_MS;
}

/**
 * Whether another response may follow on the connection: only if the end of this one is beyond doubt (RFC 9112, 6.3),
 * since otherwise a part of it could be taken for the next.
 */
function isKept({ version, headers }: AnswerHead): boolean {
  const length = headers.get('content-length');
  const coding = headers.get('transfer-encoding');
  const isClear = coding === undefined ? length === undefined || /^\d+$/.test(length) : coding === 'chunked';
  const connection = (headers.get('connection') ?? '').toLowerCase().split(',');
  return (
    version === '1.1' &&
    isClear &&
    (length === undefined || coding === undefined) &&
    !connection.some((option) => option.trim() === 'close')
  );
}
