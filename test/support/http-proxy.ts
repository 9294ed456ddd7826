import { once } from 'node:events';
import { createServer, request as requestHttp, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer, request as requestTls } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A request through the proxy: `POST /v3/users`. */
export interface Passed {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

export interface HttpProxy extends AsyncDisposable {
  readonly port: number;
  /** All requests that were answered, in order. */
  readonly passed: readonly Passed[];
  /** Clears the recorded requests. */
  forget(): void;
  /**
   * Awaited before a request is forwarded. `lose` drops its response and resets the connection, `hold` leaves it open
   * without a response.
   */
  before:
    | ((request: { readonly method: string; readonly path: string }) => Promise<'lose' | 'hold' | undefined>)
    | undefined;
}

/** A server on 127.0.0.1. */
interface Target {
  readonly port: number;
  /** The CA of its certificate, if it has one. */
  readonly ca: string | undefined;
}

/** A proxy on 127.0.0.1 in front of an HTTP server, to count requests and inject faults. */
export async function startHttpProxy(
  target: number | Target,
  tls?: { readonly certificate: string; readonly key: string },
): Promise<HttpProxy> {
  const passed: Passed[] = [];
  const listener: RequestListener = (incoming, outgoing) => {
    const { method = 'GET', url: path = '/' } = incoming;
    const drop = () => void incoming.socket.destroy();
    const pass = async () => {
      const fate = await proxy.before?.({ method, path });
      const answer = await forward(typeof target === 'number' ? { port: target, ca: undefined } : target, incoming);
      passed.push({ method, path, status: answer.status });
      if (fate === 'lose') return drop();
      if (fate === 'hold') return;
      outgoing.writeHead(answer.status, answer.headers).end(answer.body);
    };
    pass().catch(drop);
  };
  const server =
    tls === undefined ? createServer(listener) : createTlsServer({ cert: tls.certificate, key: tls.key }, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: HttpProxy = {
    port: (server.address() as AddressInfo).port,
    passed,
    forget: () => void passed.splice(0),
    before: undefined,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return proxy;
}

async function forward({ port, ca }: Target, incoming: IncomingMessage) {
  const { method, url, headers } = incoming;
  const options = { host: '127.0.0.1', port, method, path: url, headers, agent: false } as const;
  const asked = ca === undefined ? requestHttp(options) : requestTls({ ...options, ca });
  incoming.pipe(asked);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const body = Buffer.concat(await Array.fromAsync(response as AsyncIterable<Buffer>));
  return { status: response.statusCode ?? 502, headers: response.headers, body };
}
