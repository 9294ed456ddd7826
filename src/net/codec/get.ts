import { connect, type LookupFunction, type Socket } from 'node:net';
import { AnswerReader, type AnswerHead } from './answer.ts';
import { encodeHead } from './head.ts';

export interface GetOptions {
  readonly to: { readonly host: string; readonly port: number; readonly lookup?: LookupFunction };
  /** Path and query, as they are to be sent. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly signal: AbortSignal;
  /** For who follows the connection. */
  readonly onSocket?: (socket: Socket) => void;
  /** @returns whether the body is waited for; false: the head is enough */
  readonly onHead?: (head: AnswerHead) => boolean;
  /** @returns whether more of the body is waited for */
  readonly onBody?: (piece: Uint8Array) => boolean;
}

/**
 * A plain GET on a connection of its own, which is closed then. Nothing is kept of the body.
 * @throws the system's error for no connection; one of code ECONNRESET for an answer that breaks off, as Node's own http has
 * it; HttpParseError for what is no HTTP; the signal's reason
 */
export function get({ to, target, headers, signal, onSocket, onHead, onBody }: GetOptions): Promise<AnswerHead> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = connect(to);
    onSocket?.(socket);
    const abort = () => socket.destroy(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    let isEnough = false;
    const reader = new AnswerReader(
      (head) => (isEnough = onHead?.(head) === false),
      (piece) => (isEnough ||= onBody?.(piece) === false),
    );
    const settle = (error: unknown) => {
      if (error === undefined && reader.head !== undefined) resolve(reader.head);
      else reject(error);
      socket.destroy();
    };
    socket.once('connect', () => socket.write(encodeHead(`GET ${target} HTTP/1.1`, headers)));
    socket.on('data', (piece: Buffer) => {
      try {
        reader.push(piece);
      } catch (error) {
        return settle(error);
      }
      if (isEnough || reader.isDone) settle(undefined);
    });
    socket.once('end', () => settle(reader.end() ? undefined : brokenOff(reader.head)));
    socket.once('error', settle);
    socket.once('close', () => {
      signal.removeEventListener('abort', abort);
      reject(brokenOff(reader.head));
    });
  });
}

function brokenOff(head: AnswerHead | undefined): NodeJS.ErrnoException {
  return Object.assign(new Error(head === undefined ? 'socket hang up' : 'aborted'), { code: 'ECONNRESET' });
}
