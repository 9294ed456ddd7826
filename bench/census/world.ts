import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { makeAuthority } from '../../test/cluster/authority.ts';
import type { StandIn } from './stand-in.ts';
import { ENDING_HOST, FULL_HOST, HOST } from './states.ts';

/**
 * Peers of the services: on each port a server that keeps connections, one that closes them, and one with a full
 * backlog.
 * @param full process of the last kind: a server in this process would accept connections
 */
export async function startWorld(ports: readonly number[], full: StandIn): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  for (const port of ports) {
    stack.use(await listening(createServer(keep), HOST, port));
    stack.use(await listening(createServer({ allowHalfOpen: true }, end), ENDING_HOST, port));
    await full.does(['full', FULL_HOST, port]);
  }
  const moved = stack.move();
  return { [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

/** A TLS server whose certificate has no trusted CA. */
export async function startTls(port: number): Promise<AsyncDisposable> {
  const { certificate: cert, key } = makeAuthority('census').issue({ commonName: 'census', hosts: [HOST] });
  return await listening(createTlsServer({ cert, key }, keep), HOST, port);
}

function keep(socket: Socket): void {
  socket.on('error', () => socket.destroy()).resume();
}

/** Closes its side and waits for the other's. */
function end(socket: Socket): void {
  keep(socket);
  socket.on('end', () => socket.destroy()).end();
}

async function listening(server: Server, host: string, port: number): Promise<AsyncDisposable> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket.on('close', () => sockets.delete(socket))));
  server.listen(port, host);
  await once(server, 'listening');
  return {
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await Promise.resolve();
    },
  };
}
