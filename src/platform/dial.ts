import { connect } from 'node:net';
import type { Address } from './address.ts';

/**
 * Opens a connection, by TCP or to a Unix socket, and closes it. The reason why it can't be opened (ECONNREFUSED), or
 * undefined when it can.
 */
export function dial(to: Address | { readonly path: string }, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ ...to, signal });
    socket.once('connect', () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}
