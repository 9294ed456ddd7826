import { connect, type TcpNetConnectOpts } from 'node:net';
import type { Address } from './address.ts';

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
