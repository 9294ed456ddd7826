import { createServer, type AddressInfo } from 'node:net';
import { ConfigError, NotPermittedError, messageOf } from '../../core/errors.ts';
import { formatListen, type ListenAddress } from '../address.ts';
import { Exchange } from './exchange.ts';

/** Listens until it is disposed of, and then closes every connection. */
export interface BoundedServer extends AsyncDisposable {
  /** The one that it got, where 0 was asked for. */
  readonly port: number;
}

const CHECK_MS = 1000;
/** Beyond that the oldest is closed, so that a client that holds connections open can't keep the kubelet out. */
const CONNECTIONS = 64;

/**
 * A server of plain HTTP, as the kubelet asks, for a port that is open to whoever reaches the pod: small requests that come
 * at once, and not many connections at a time.
 * @throws ConfigError for an address that is taken or not ours; NotPermittedError for a port that needs root
 */
export async function listenBounded(
  at: ListenAddress,
  onRequest: (exchange: Exchange) => void,
): Promise<BoundedServer> {
  const open = new Set<Exchange>();
  let check: NodeJS.Timeout | undefined;
  const endLate = () => {
    for (const exchange of open) exchange.expire(performance.now());
    check = open.size === 0 ? undefined : setTimeout(endLate, CHECK_MS);
  };
  // A client may close its side once it has asked.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const exchange = new Exchange(socket, onRequest);
    open.add(exchange);
    socket.once('close', () => open.delete(exchange));
    const [oldest] = open;
    if (open.size > CONNECTIONS) oldest?.destroy();
    check ??= setTimeout(endLate, CHECK_MS);
  });
  await new Promise<void>((resolve, reject) => {
    // Later ones are of a client that could not be accepted, and that tries again.
    server.on('error', (error) => reject(refusal(at, error)));
    server.listen(at, resolve);
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
