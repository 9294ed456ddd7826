import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer, type AddressInfo, type Server, type ServerOpts, type Socket } from 'node:net';

export interface Listening extends AsyncDisposable {
  readonly port: number;
}

/** A TCP server, by default on a free loopback port. `serve` handles each connection. */
export async function listenTcp(
  serve: (socket: Socket) => void,
  host = '127.0.0.1',
  port = 0,
  options: ServerOpts = {},
): Promise<Listening> {
  return await listening(createServer(options, serve), host, port);
}

/** An HTTP server on a loopback port, by default a free one. */
export async function listenHttp(serve: RequestListener, port = 0, host = '127.0.0.1'): Promise<Listening> {
  return await listening(createHttpServer(serve), host, port);
}

async function listening(server: Server, host: string, wanted = 0): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(wanted, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
