import { createServer, type AddressInfo } from 'node:net';
import { resolveName } from '../resolver/index.ts';
import { codeOf, ConfigError, NotPermittedError, reasonOf } from '../../core/errors.ts';
import { formatListen, type ListenAddress } from '../dial/address.ts';
import { Exchange } from './exchange.ts';

/** Listens until disposed, and then closes every connection. */
export interface BoundedServer extends AsyncDisposable {
  /** The port in use, if 0 was requested. */
  readonly port: number;
}

const CHECK_MS = 1000;
/**
 * Maximum number of connections. Above it, the oldest is closed, so that a client that holds connections open cannot
 * block the kubelet.
 */
const CONNECTIONS = 64;

/**
 * A plain HTTP server for kubelet probes, on a port open to every client of the Pod: small, immediate requests, and few
 * connections.
 * @param signal ends the lookup of the address
 * @throws ConfigError if the address is in use or not local; NotPermittedError for a privileged port
 */
export async function listenBounded(
  at: ListenAddress,
  onRequest: (exchange: Exchange) => void,
  signal: AbortSignal,
): Promise<BoundedServer> {
  const open = new Set<Exchange>();
  let check: NodeJS.Timeout | undefined;
  const endLate = () => {
    for (const exchange of open) exchange.expire(performance.now());
    check = open.size === 0 ? undefined : setTimeout(endLate, CHECK_MS);
  };
  // A client may half-close after its request.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const exchange = new Exchange(socket, onRequest);
    open.add(exchange);
    socket.once('close', () => open.delete(exchange));
    const [oldest] = open;
    if (open.size > CONNECTIONS) oldest?.destroy();
    check ??= setTimeout(endLate, CHECK_MS);
  });
  const local = at.host === undefined ? at : { ...at, host: await addressOf(at, at.host, signal) };
  await new Promise<void>((resolve, reject) => {
    // Later errors concern a client that could not be accepted and that tries again.
    server.on('error', (error) => reject(refusal(at, error)));
    server.listen(local, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      clearTimeout(check);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const exchange of open) exchange.destroy();
      });
    },
  };
}

async function addressOf(at: ListenAddress, host: string, signal: AbortSignal): Promise<string> {
  try {
    const [address = host] = await resolveName(host, signal);
    return address;
  } catch (error) {
    signal.throwIfAborted();
    throw refusal(at, error);
  }
}

function refusal(at: ListenAddress, cause: unknown): Error {
  const what = `cannot listen on ${formatListen(at)}: ${reasonOf(cause)}`;
  const code = codeOf(cause);
  if (code === 'EACCES') {
    return new NotPermittedError(`${what}; a port below 1024 needs root: give a higher one`, { cause });
  }
  const fix =
    code === 'EADDRINUSE'
      ? 'another process of this pod has that port: give another one'
      : "leave the address out, or give one of this pod's";
  return new ConfigError(`${what}; ${fix}`, { cause });
}
