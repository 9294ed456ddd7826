import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { dial, type DialTarget } from './dial.ts';
import { CLOSED } from './network-error.ts';
import { isTlsAlert, TlsAlertError } from './tls-alert.ts';
import type { TlsAsk } from './tls-ask.ts';
import { ResponseTooLargeError } from './too-large.ts';

/** A complete message and its length in bytes; undefined if the message is incomplete. */
export type Parsed<T> = { readonly is: T; readonly length: number } | undefined;

/** A connection for requests and responses. It is destroyed when its scope ends. */
export interface Conversation extends Disposable {
  /** A single piece is not copied, so that the caller can erase it once it is answered. */
  say(...bytes: readonly Buffer[]): void;
  /**
   * The next message. Rejects with the error of `parse`, with TlsAlertError, and if the connection breaks or ends before
   * the message is complete.
   */
  hear<T>(parse: (heard: Buffer) => Parsed<T>): Promise<T>;
  /**
   * Goes on over TLS on the same connection.
   * @throws as overTls(); Error if the peer has sent more than was heard, which TLS would not protect
   */
  secure(options: ConnectionOptions): Promise<void>;
  /** Closes our sending direction, and resolves when the peer has closed the connection too. */
  end(): Promise<void>;
}

interface ConverseOptions {
  /** Aborts the conversation at any step. */
  readonly signal: AbortSignal;
  readonly tls?: TlsAsk | undefined;
  /** Maximum size of what is received and not heard yet. */
  readonly mostBytes?: number;
}

/** The peer has closed the connection. */
export class ClosedError extends Error {
  override name = 'ClosedError';
}

/** Maximum size of a message. No handshake message is longer, so a peer that sends more is another kind of server. */
const MOST_BYTES = 65_536;

/** Connects, to a host and port or a socket's path. Rejects with the system's error, or TLS's. */
export async function converse(
  to: DialTarget,
  { signal, tls, mostBytes = MOST_BYTES }: ConverseOptions,
): Promise<Conversation> {
  // Loaded lazily: most connections use no TLS, which costs half of Node's start time.
  const socket =
    tls === undefined ? await dial(to, signal) : await (await import('./secure.ts')).dialTls(to, { signal, tls });
  return conversationOn(socket, signal, mostBytes);
}

function conversationOn(connection: Socket, signal: AbortSignal, mostBytes: number): Conversation {
  let socket = connection;
  let heard = Buffer.alloc(0);
  let hasHeard = false;
  let failure: Error | undefined;
  let isOver = false;
  let news = Promise.withResolvers<void>();
  const wake = () => {
    news.resolve();
    news = Promise.withResolvers();
  };
  const stop = () => socket.destroy(signal.reason as Error);
  const listeners = {
    data: (chunk: Buffer) => {
      hasHeard = true;
      heard = Buffer.concat([heard, chunk]);
      // Also while no message is awaited, such as after our end.
      if (heard.length > mostBytes) socket.destroy(new ResponseTooLargeError(mostBytes));
      wake();
    },
    error: (error: Error) => {
      failure = error;
      wake();
    },
    end: () => {
      isOver = true;
      wake();
    },
    close: () => {
      isOver = true;
      signal.removeEventListener('abort', stop);
      wake();
    },
  };
  const listen = (how: 'on' | 'off') => {
    for (const [event, listener] of Object.entries(listeners)) socket[how](event as 'data', listener as () => void);
    if (how === 'on') signal.addEventListener('abort', stop, { once: true });
    else signal.removeEventListener('abort', stop);
  };
  listen('on');
  return {
    say: (...bytes) => void socket.write(bytes.length === 1 ? bytes[0]! : Buffer.concat(bytes)),
    async hear(parse) {
      for (;;) {
        if (isTlsAlert(heard.toString('latin1', 0, 3))) throw new TlsAlertError();
        const parsed = parse(heard);
        if (parsed !== undefined) {
          heard = heard.subarray(parsed.length);
          return parsed.is;
        }
        if (failure !== undefined) throw failure;
        if (isOver) throw new ClosedError(hasHeard ? 'closed in the middle of its response' : CLOSED);
        await news.promise;
      }
    },
    async secure(options) {
      const { overTls } = await import('./secure.ts');
      if (heard.length > 0) throw new Error('the server sends data before TLS');
      if (failure !== undefined) throw failure;
      if (isOver) throw new ClosedError(CLOSED);
      listen('off');
      socket = await overTls(socket, options, signal);
      listen('on');
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
