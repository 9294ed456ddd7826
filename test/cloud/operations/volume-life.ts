import assert from 'node:assert/strict';
import { stateOf, type Client } from '../client.ts';
import { temporary, temporaryServer, type Operation } from './operation.ts';

interface VolumeState {
  readonly status: string;
  readonly size: number;
  readonly volume_image_metadata?: Readonly<Record<string, string>>;
}

export const volumeLife: Operation = {
  title: 'volume created, attached, detached, extended, snapshotted, restored; one from an image',
  async run(world) {
    const { client, basis } = world;
    await using volume = await temporary(client, 'volume', 'life', '--size', '1');
    const path = `/volumes/${volume.id}`;
    {
      await using server = await temporaryServer(world, 'with-volume');
      await client.openstack('server', 'add', 'volume', server.id, volume.id);
      await stateOf(client, 'cinder', path, 'in-use');
      await client.openstack('server', 'remove', 'volume', server.id, volume.id);
      await stateOf(client, 'cinder', path, 'available');
    }
    await client.openstack('volume', 'set', '--size', '2', volume.id);
    await stateOf(client, 'cinder', path, 'available');
    assert.equal((await volumeOf(client, volume.id)).size, 2);
    await using snapshot = await temporary(client, 'volumeSnapshot', 'life', '--volume', volume.id);
    await using restored = await temporary(client, 'volume', 'restored', '--snapshot', snapshot.id);
    assert.equal((await volumeOf(client, restored.id)).size, 2);
    await using fromImage = await temporary(client, 'volume', 'from-image', '--size', '1', '--image', basis.image);
    assert.equal((await volumeOf(client, fromImage.id)).volume_image_metadata?.['image_id'], basis.image);
    return '1 GiB, extended to 2 GiB';
  },
};

async function volumeOf(client: Client, id: string): Promise<VolumeState> {
  const reply = await client.get<{ volume: VolumeState }>('cinder', `/volumes/${id}`);
  return reply?.volume ?? assert.fail(`volume ${id} is gone`);
}
