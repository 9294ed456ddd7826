import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ConfigError, NotPermittedError, messageOf } from '../../core/errors.ts';
import { formatListen, type ListenAddress } from '../address.ts';

/** Listens until it is disposed of, and then closes every connection. */
export interface BoundedServer extends AsyncDisposable {
  /** The one that it got, where 0 was asked for. */
  readonly port: number;
}

/** A probe's request is some 200 bytes. */
const HEADERS_BYTES = 4096;
/** The kubelet itself gives up after a second unless told otherwise. */
const REQUEST_MS = 5000;
const CHECK_MS = 1000;
/** Beyond that the oldest is closed, so that somebody who holds connections open can't keep the kubelet out. */
const CONNECTIONS = 64;

/**
 * A server of plain HTTP, as the kubelet asks, for a port that is open to whoever reaches the pod: small requests that come
 * at once, and not many connections at a time.
 * @throws ConfigError for an address that is taken or not ours; NotPermittedError for a port that needs root
 */
export async function listenBounded(at: ListenAddress, listener: RequestListener): Promise<BoundedServer> {
  const options = {
    maxHeaderSize: HEADERS_BYTES,
    headersTimeout: REQUEST_MS,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: CHECK_MS,
  };
  const server = createServer(options, listener);
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    const [oldest] = open;
    if (open.size > CONNECTIONS) oldest?.destroy();
  });
  try {
    server.listen(at);
    await once(server, 'listening');
  } catch (error) {
    throw refusal(at, error);
  }
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

function refusal(at: ListenAddress, cause: unknown): Error {
  const what = `cannot listen on ${formatListen(at)}: ${messageOf(cause)}`;
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'EACCES') {
    return new NotPermittedError(`${what}; a port below 1024 needs root: give a higher one`, { cause });
  }
  const fix =
    code === 'EADDRINUSE'
      ? 'another process of this pod has that port: give another one'
      : "leave the address out, or give one of this pod's";
  return new ConfigError(`${what}; ${fix}`, { cause });
}
