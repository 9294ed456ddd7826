import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A port on 127.0.0.1 that is forwarded to another one, like a floating address. */
export interface Forwarder extends AsyncDisposable {
  readonly port: number;
  /** Sets the target of new connections, while open ones keep theirs. If undefined, new connections are reset. */
  target: number | undefined;
  /** Stops forwarding on open connections, and accepts new ones without a target, until they are cut. */
  silence(): void;
  /** Resets all open connections. */
  cut(): void;
  readonly connections: () => number;
}

/**
 * @param target a port on 127.0.0.1
 * @param at listen port; default a free one
 * @param onSent called with what clients have sent, before they can get an answer to it
 */
export async function startForwarder(target: number, at = 0, onSent?: (data: Buffer) => void): Promise<Forwarder> {
  const open = new Set<Socket>();
  let connections = 0;
  let isSilent = false;
  const server = createServer((accepted) => {
    connections++;
    if (isSilent) return void open.add(accepted.on('error', () => {}));
    if (forwarder.target === undefined) return void accepted.resetAndDestroy();
    const dialed = connect({ port: forwarder.target, host: '127.0.0.1' });
    if (onSent !== undefined) accepted.on('data', onSent);
    for (const [from, to] of [
      [accepted, dialed],
      [dialed, accepted],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(at, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    isSilent = false;
    for (const socket of open) reset(socket);
  };
  const forwarder: Forwarder = {
    port: (server.address() as AddressInfo).port,
    target,
    silence() {
      isSilent = true;
      for (const socket of open) socket.unpipe().pause();
    },
    cut,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      server.close();
      cut();
      await once(server, 'close');
    },
  };
  return forwarder;
}

/**
 * Resets a connection. One that we have half-closed is destroyed instead: Node's resetAndDestroy() would fail with
 * EINVAL, leave the handle open, and spin forever at exit (seen with 24.21).
 */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
