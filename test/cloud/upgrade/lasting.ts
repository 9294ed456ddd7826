import assert from 'node:assert/strict';
import { temporary, temporaryServer, type World } from '../operations/operation.ts';

/** Objects created before the upgrade, deleted at the end of their scope by the new release. */
export interface Lasting extends AsyncDisposable {
  /** @returns the states, for the timeline */
  assertThere(): Promise<string>;
}

/** A server with a volume attached, and a user. */
export async function createLasting(world: World): Promise<Lasting> {
  const { client } = world;
  await using stack = new AsyncDisposableStack();
  const user = stack.use(await temporary(client, 'user', 'lasting', '--password', 'lasting-password'));
  const volume = stack.use(await temporary(client, 'volume', 'lasting', '--size', '1'));
  const server = stack.use(await temporaryServer(world, 'lasting'));
  await client.openstack('server', 'add', 'volume', server.id, volume.id);
  stack.defer(async () => void (await client.openstack('server', 'remove', 'volume', server.id, volume.id)));
  const kept = stack.move();
  return {
    async assertThere() {
      const states = {
        server: (await client.json<{ status: string }>('server', 'show', server.id)).status,
        volume: (await client.json<{ status: string }>('volume', 'show', volume.id)).status,
        user: (await client.json<{ enabled: boolean }>('user', 'show', user.id)).enabled,
      };
      assert.deepEqual(states, { server: 'ACTIVE', volume: 'in-use', user: true });
      return `server ${states.server}, volume ${states.volume}, user enabled`;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
