import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { start, tied } from '../../../tools/process.ts';
import { until } from '../../support/until.ts';
import type { Placement } from './component.ts';

/** A loopback port of this machine forwarded into another network namespace. */
export interface PortForward extends AsyncDisposable {
  readonly port: number;
}

/**
 * Opens a port on 127.0.0.1 that is forwarded to an address in the node's network.
 *
 *   127.0.0.1:PORT, here -> Unix socket, which is independent of networks -> the helper, there -> HOST:PORT
 * @param socket path, at most 107 bytes, of a file that does not exist
 */
export async function openPortForward(
  inNetwork: Placement,
  helper: string,
  socket: string,
  target: string,
): Promise<PortForward> {
  await using stack = new AsyncDisposableStack();
  const forwarder = stack.use(await start(...tied(...inNetwork(helper, ['forward', socket, target]))));
  await until(`the forwarder to ${target}`, async () => {
    if (forwarder.child.exitCode !== null)
      throw new Error(`the forwarder to ${target}: exited with ${forwarder.child.exitCode}`);
    return existsSync(socket) || undefined;
  });
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (accepted) => {
    const dialed = connect({ path: socket, allowHalfOpen: true });
    for (const [from, to] of [
      [accepted, dialed],
      [dialed, accepted],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy()); // like on the wire: the peer sees a reset
      from.on('close', () => open.delete(from));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(() => {
    server.close();
    for (const each of open) each.destroy();
  });
  const moved = stack.move();
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}
