import type { Socket } from 'node:net';
import { defined } from '../../core/defined.ts';
import type { Address } from '../dial/address.ts';
import { dial } from '../dial/dial.ts';
import type { TlsAsk } from '../dial/tls-ask.ts';
import { AnswerReader, type AnswerHead } from './answer.ts';
import { encodeHead } from './head.ts';

export interface GetOptions {
  readonly to: Address;
  /** How the server is verified; undefined without TLS. */
  readonly tls?: TlsAsk | undefined;
  /** The default is GET. Not HEAD, whose response has no body. */
  readonly method?: string | undefined;
  /** Path and query as they are sent. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Uint8Array | undefined;
  readonly signal: AbortSignal;
  /** Called with the TCP connection when it is open. */
  readonly onSocket?: (socket: Socket) => void;
  /** @returns whether to read the body; false if the head is enough */
  readonly onHead?: (head: AnswerHead) => boolean;
  /**
   * @returns whether to read more of the body
   */
  readonly onBody?: (piece: Uint8Array) => boolean;
}

/**
 * A GET, or another request, on a new connection, which is then closed. The response's body is not
 * stored.
 * @throws the system's or TLS's error if there is no connection; an error with code ECONNRESET for a truncated response, as in
 * Node's http; HttpParseError or TlsAlertError if the response is not HTTP; TypeError as encodeHead(); the signal's reason
 */
export async function get(options: GetOptions): Promise<AnswerHead> {
  const { method = 'GET', target, headers, body, signal, ...reading } = options;
  // RFC 9110, 8.6: methods that may have a body state that there is none.
  const length = method === 'GET' && body === undefined ? [] : ([['Content-Length', `${body?.length ?? 0}`]] as const);
  const head = encodeHead(`${method} ${target} HTTP/1.1`, [...headers, ...length]);
  const socket = await connected(options);
  socket.write(body === undefined ? head : Buffer.concat([head, body]));
  return await answerOn(socket, signal, reading);
}

async function connected({ to, tls, signal, onSocket }: GetOptions): Promise<Socket> {
  if (tls !== undefined) {
    // Loaded lazily: TLS costs half of Node's start time, which a request without it need not pay.
    const { dialTls } = await import('../dial/secure.ts');
    // As Node's https and curl: a server of several protocols must not choose another one.
    return await dialTls(to, {
      signal,
      tls,
      more: { ALPNProtocols: ['http/1.1'] },
      ...defined({ onConnect: onSocket }),
    });
  }
  const socket = await dial(to, signal);
  onSocket?.(socket);
  return socket;
}

function answerOn(
  socket: Socket,
  signal: AbortSignal,
  { onHead, onBody }: Pick<GetOptions, 'onHead' | 'onBody'>,
): Promise<AnswerHead> {
  return new Promise((resolve, reject) => {
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

/** The error of a connection that ends within a response, as in Node's http. */
export function brokenOff(head: AnswerHead | undefined): NodeJS.ErrnoException {
  return Object.assign(new Error(head === undefined ? 'socket hang up' : 'aborted'), { code: 'ECONNRESET' });
}
