import { connect, type LookupFunction, type TcpNetConnectOpts } from 'node:net';
import type { Address } from './address.ts';
import { lookup } from 'node:dns';

/** Opens a connection, by TCP or to a Unix socket, and closes it. The system's error when it can't be opened, or undefined. */
export function dial(
  to: (Address & Pick<TcpNetConnectOpts, 'lookup'>) | { readonly path: string },
  signal: AbortSignal,
): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ ...to, signal });
    socket.once('connect', () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once('error', resolve);
  });
}

/** Why, in one word where the system has one: ECONNREFUSED. */
export function refusalOf({ code, message }: NodeJS.ErrnoException): string {
  return code ?? message;
}

/**
 * Looks names up as Node does, and says EAI_AGAIN after so long: the system's resolver takes ten seconds and more for that when its
 * name servers are silent, and who gave up before could not tell them from a silent host.
 */
export function lookupWithin(ms: number, look: LookupFunction = lookup): LookupFunction {
  return (host, options, callback) => {
    let isOver = false;
    const end: typeof callback = (...found) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(late);
      callback(...found);
    };
    const late = setTimeout(() => end(silence(host), []), ms).unref();
    look(host, options, end);
  };
}

function silence(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`no name server answers for ${host}`), { code: 'EAI_AGAIN' });
}
