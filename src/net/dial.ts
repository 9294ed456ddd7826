import { connect, type LookupFunction, type Socket } from 'node:net';
import type { Address } from './address.ts';
import { connectReason } from './connect-error.ts';
import { defined } from '../core/defined.ts';

/** Opens a TCP connection and closes it. Returns the system's error if this fails, otherwise undefined. */
export function dial(
  { lookup, ...to }: Address & { readonly lookup?: LookupFunction | undefined },
  signal: AbortSignal,
): Promise<NodeJS.ErrnoException | undefined> {
  return opened(connect({ ...to, ...defined({ lookup }), signal }));
}

/** The same for a connection that is already being opened. */
export function opened(socket: Socket): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    socket.once('connect', () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once('error', resolve);
  });
}

/**
 * The reason for a failed connection, on one line.
 * @param asked the target, for errors that do not contain it
 */
export function refusalOf(error: NodeJS.ErrnoException, asked: string): string {
  return connectReason(error, asked) ?? error.code ?? error.message;
}
