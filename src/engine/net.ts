/**
 * The part of `node:net` that kolla-core uses: outgoing connections (net/connection), and accepted ones (net/server).
 */
import type { Endpoint } from './net/address.ts';
import { Socket, type IpcNetConnectOpts, type SocketOptions, type TcpNetConnectOpts } from './net/connection.ts';
import { Server } from './net/server.ts';

export { isIP, isIPv4, isIPv6 } from './net/address.ts';
export { Socket, type IpcNetConnectOpts, type TcpNetConnectOpts } from './net/connection.ts';

export { Server };

export function connect(to: TcpNetConnectOpts | IpcNetConnectOpts): Socket {
  const socket = new Socket();
  socket.start(to);
  return socket;
}

/** The address of a server. */
export type AddressInfo = Endpoint;

export function createServer(options: SocketOptions, onConnection: (socket: Socket) => void): Server {
  return new Server((fd) => new Socket(options).adopt(fd), onConnection);
}
