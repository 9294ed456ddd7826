import { connect, type NetConnectOpts } from 'node:net';

/** What was heard so far: `more` is needed, or it is understood. */
export type Heard<T> = { readonly more: true } | { readonly more?: never; readonly is: T };

export interface Exchange<T> {
  /** Where: a host and port, or a socket's path. */
  readonly at: NetConnectOpts;
  /** Said first; nothing for who waits to be greeted. */
  readonly say?: Buffer;
  readonly understand: (bytes: Buffer) => Heard<T>;
  readonly signal: AbortSignal;
}

/** No greeting is longer; whoever sends more is another kind of server. */
const MOST_BYTES = 65_536;

/**
 * One question and its answer on a connection of its own, which is closed then. Rejects with the system's error where
 * there is no connection, and with one that says so when the other side ends it before it was understood.
 */
export function exchange<T>({ at, say, understand, signal }: Exchange<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let heard = Buffer.alloc(0);
    const socket = connect({ ...at, signal });
    const end = (settle: () => void) => {
      settle();
      socket.destroy();
    };
    socket.once('connect', () => say !== undefined && socket.write(say));
    socket.on('data', (chunk: Buffer) => {
      heard = Buffer.concat([heard, chunk]);
      const answer = understand(heard);
      if (!answer.more) end(() => resolve(answer.is));
      else if (heard.length > MOST_BYTES) end(() => reject(new Error('an answer that does not end')));
    });
    socket.once('error', reject);
    socket.once('close', () =>
      reject(new Error(heard.length === 0 ? 'closed without a word' : 'closed in the middle of its answer')),
    );
  });
}
