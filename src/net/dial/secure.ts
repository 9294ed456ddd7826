import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { dial, type DialTarget } from './dial.ts';
import { tlsOptions, type TlsAsk } from './tls-ask.ts';

interface SecureOptions {
  readonly signal: AbortSignal;
  readonly tls: TlsAsk;
  /** Options in addition to those of `tls`. */
  readonly more?: ConnectionOptions;
  /** Called with the TCP connection when it is open, before the handshake. */
  readonly onConnect?: (connection: Socket) => void;
}

/**
 * Connects and performs the handshake.
 * @throws as dial() and tlsOptions(); TLS's error
 */
export async function dialTls(to: DialTarget, { signal, tls, more, onConnect }: SecureOptions): Promise<TLSSocket> {
  const options = { ...tlsOptions('host' in to ? to.host : 'localhost', tls), ...more };
  const connection = await dial(to, signal);
  onConnect?.(connection);
  return await overTls(connection, { ...options, ...more }, signal);
}

/**
 * Performs the handshake on an open connection, whose place the result takes.
 * @throws TLS's error; the signal's reason
 */
export async function overTls(connection: Socket, options: ConnectionOptions, signal: AbortSignal): Promise<TLSSocket> {
  const socket = connect({ ...options, socket: connection });
  const stop = () => socket.destroy(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  try {
    await once(socket, 'secureConnect');
    return socket;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
