import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { makeAuthority } from '../authority.ts';
import type { Cluster } from './api.ts';

/** How a proxy handles a request. `forward` passes it on and returns the API server's response. */
export type Serve = (
  request: IncomingMessage,
  response: ServerResponse,
  forward: () => Promise<IncomingMessage>,
) => Promise<void>;

/** An HTTPS server in front of an API server, for faults of a load balancer. */
export interface ApiProxy extends AsyncDisposable {
  readonly port: number;
  /** The CA of its certificate, in PEM. */
  readonly ca: string;
  /** Tests may change this at any time. */
  serve: Serve;
  /** Closes all open connections. */
  cut(): void;
}

/** Forwards everything until changed. Clients authenticate by token: a client certificate would end here. */
export async function startProxy(cluster: Pick<Cluster, 'server' | 'ca'>): Promise<ApiProxy> {
  const authority = makeAuthority('test proxy');
  const { certificate, key } = authority.issue({ commonName: 'proxy', hosts: ['127.0.0.1'] });
  const sockets = new Set<Socket>();
  const server = createServer({ cert: certificate, key }, (incoming, response) => {
    const forward = async (): Promise<IncomingMessage> => {
      const { method, headers } = incoming;
      const onward = request(new URL(incoming.url ?? '/', cluster.server), {
        method,
        headers,
        ca: cluster.ca,
        agent: false,
      });
      response.once('close', () => onward.destroy());
      incoming.pipe(onward);
      const [answer] = (await once(onward, 'response')) as [IncomingMessage];
      answer.on('error', () => response.destroy());
      return answer;
    };
    // If there is no response, the connection is closed, as by any proxy.
    proxy.serve(incoming, response, forward).catch(() => response.destroy());
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const proxy: ApiProxy = {
    port: (server.address() as AddressInfo).port,
    ca: authority.certificate,
    serve: passOn,
    cut,
    [Symbol.asyncDispose]: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}

/** A transparent proxy. */
export const passOn: Serve = async (_, response, forward) => {
  const answer = await forward();
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  answer.pipe(response);
};
