import { connect, type LookupFunction, type Socket } from 'node:net';
import { AnswerReader, type AnswerHead } from './answer.ts';
import { encodeHead } from './head.ts';

export interface GetOptions {
  readonly to: { readonly host: string; readonly port: number; readonly lookup?: LookupFunction };
  /** Path and query as they are sent. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly signal: AbortSignal;
  /** Called with the connection. */
  readonly onSocket?: (socket: Socket) => void;
  /** @returns whether to read the body; false if the head is enough */
  readonly onHead?: (head: AnswerHead) => boolean;
  /**
   * @returns whether to read more of the body
   */
  readonly onBody?: (piece: Uint8Array) => boolean;
}

/**
 * A plain GET on a new connection, which is then closed. The body is not stored.
 * @throws the system's error if there is no connection; an error with code ECONNRESET for a truncated response, as in
 * Node's http; HttpParseError if the response is not HTTP; TypeError as encodeHead(); the signal's reason
 */
export function get({ to, target, headers, signal, onSocket, onHead, onBody }: GetOptions): Promise<AnswerHead> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = encodeHead(`GET ${target} HTTP/1.1`, headers);
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
    socket.once('connect', () => socket.write(request));
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
