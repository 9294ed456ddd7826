/**
 * Opens every outgoing connection; TLS, HTTP and other protocols are layers on the connected socket.
 *
 *   host -> resolver/ -> addresses, as they are found -> race.ts: attempts to them (RFC 8305) -> the first connection
 */
import { connect, type Socket } from 'node:net';
import type { Address } from './address.ts';
import { connectReason } from './connect-error.ts';
import { ResolveError } from '../resolver/error.ts';
import { lookUp } from '../resolver/index.ts';
import { Race } from './race.ts';

/** An address, or the path of a Unix socket. */
export type DialTarget = Address | { readonly path: string };

/**
 * Connects until the signal is aborted.
 * @throws ResolveError, also in place of the signal's reason if the name was not resolved by then: a silent DNS server
 * must not look like a silent host; the system's error, of several addresses as AggregateError; the signal's reason
 */
export async function dial(to: DialTarget, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted();
  using race = new Race((address) => connect('path' in to ? { path: to.path } : { host: address, port: to.port }));
  const over = new AbortController();
  const abort = () => {
    const isUnresolved = 'host' in to && race.isWithoutAddress;
    const { reason } = signal;
    race.fail(
      isUnresolved ? new ResolveError('EAI_AGAIN', to.host, 'no DNS server answers', { cause: reason }) : reason,
    );
    over.abort(reason);
  };
  signal.addEventListener('abort', abort, { once: true });
  const add = (addresses: readonly string[]) => race.add(addresses);
  const found = 'path' in to ? Promise.resolve(add([to.path])) : lookUp(to.host, over.signal, add);
  found.then(
    () => race.complete(),
    (error: unknown) => race.fail(error),
  );
  try {
    return await race.winner;
  } finally {
    signal.removeEventListener('abort', abort);
    over.abort();
  }
}

/** Opens a connection and closes it. Returns the reason if this fails, otherwise undefined. */
export async function tryDial(to: DialTarget, signal: AbortSignal): Promise<NodeJS.ErrnoException | undefined> {
  try {
    const socket = await dial(to, signal);
    socket.destroy();
    return undefined;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}

/**
 * The reason for a failed connection, on one line.
 * @param asked the target, for errors that do not contain it
 */
export function refusalOf(error: NodeJS.ErrnoException, asked: string): string {
  return connectReason(error, asked) ?? error.code ?? error.message;
}
