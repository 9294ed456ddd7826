import type { Socket } from 'node:net';
import { dial, type DialTarget } from './dial.ts';
import { CLOSED } from './network-error.ts';
import { isTlsAlert, TlsAlertError } from './tls-alert.ts';
import type { TlsAsk } from './tls-ask.ts';
import { ResponseTooLargeError } from './too-large.ts';

/** A complete message and its length in bytes; undefined if the message is incomplete. */
export type Parsed<T> = { readonly is: T; readonly length: number } | undefined;

/** A connection for requests and responses. It is destroyed when its scope ends. */
export interface Conversation extends Disposable {
  say(...bytes: readonly Buffer[]): void;
  /**
   * The next message. Rejects with the error of `parse`, with TlsAlertError, and if the connection breaks or ends before
   * the message is complete.
   */
  hear<T>(parse: (heard: Buffer) => Parsed<T>): Promise<T>;
  /** Closes our sending direction, and resolves when the peer has closed the connection too. */
  end(): Promise<void>;
}

interface ConverseOptions {
  /** Aborts the conversation at any step. */
  readonly signal: AbortSignal;
  readonly tls?: TlsAsk | undefined;
}

/** Maximum size of a message. No handshake message is longer, so a peer that sends more is another kind of server. */
const MOST_BYTES = 65_536;

/** Connects, to a host and port or a socket's path. Rejects with the system's error, or TLS's. */
export async function converse(to: DialTarget, { signal, tls }: ConverseOptions): Promise<Conversation> {
  // Loaded lazily: most connections use no TLS, which costs half of Node's start time.
  const socket =
    tls === undefined ? await dial(to, signal) : await (await import('#secure')).dialTls(to, { signal, tls });
  const stop = () => socket.destroy(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', stop));
  return conversationOn(socket);
}

function conversationOn(socket: Socket): Conversation {
  let heard = Buffer.alloc(0);
  let hasHeard = false;
  let failure: Error | undefined;
  let isOver = false;
  let news = Promise.withResolvers<void>();
  const wake = () => {
    news.resolve();
    news = Promise.withResolvers();
  };
  socket.on('data', (chunk: Buffer) => {
    hasHeard = true;
    heard = Buffer.concat([heard, chunk]);
    // Also while no message is awaited, such as after our end.
    if (heard.length > MOST_BYTES) socket.destroy(new ResponseTooLargeError(MOST_BYTES));
    wake();
  });
  socket.on('error', (error) => {
    failure = error;
    wake();
  });
  for (const event of ['end', 'close']) {
    socket.on(event, () => {
      isOver = true;
      wake();
    });
  }
  return {
    say: (...bytes) => void socket.write(Buffer.concat(bytes)),
    async hear(parse) {
      for (;;) {
        if (isTlsAlert(heard.toString('latin1', 0, 3))) throw new TlsAlertError();
        const parsed = parse(heard);
        if (parsed !== undefined) {
          heard = heard.subarray(parsed.length);
          return parsed.is;
        }
        if (failure !== undefined) throw failure;
        if (isOver) throw new Error(hasHeard ? 'closed in the middle of its response' : CLOSED);
        await news.promise;
      }
    },
    async end() {
      socket.end();
      for (;;) {
        if (failure !== undefined) throw failure;
        if (isOver) return;
        await news.promise;
      }
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

/** A parsed response; undefined if it is incomplete. */
export type Understood<T> = { readonly is: T } | undefined;

interface Exchange<T> {
  /** The target: a host and port, or the path of a socket. */
  readonly at: DialTarget;
  /** Data that is sent first; empty for protocols in which the server greets. */
  readonly say?: Buffer | undefined;
  /** Parses all bytes received so far. */
  readonly understand: (bytes: Buffer) => Understood<T>;
  readonly tls?: TlsAsk | undefined;
  readonly signal: AbortSignal;
}

/** Sends one request on a new connection, which is closed after the response. Rejects like converse() and hear(). */
export async function exchange<T>({ at, say, understand, tls, signal }: Exchange<T>): Promise<T> {
  using conversation = await converse(at, { signal, tls });
  if (say !== undefined) conversation.say(say);
  return await conversation.hear((heard) => {
    const understood = understand(heard);
    return understood && { is: understood.is, length: heard.length };
  });
}
