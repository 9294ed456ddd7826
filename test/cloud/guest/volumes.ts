import assert from 'node:assert/strict';
import { goneFrom, stateOf, type Client } from '../client.ts';
import { temporary } from '../operations/operation.ts';
import { COMPUTE_NODES } from '../stage.ts';
import type { GuestOperation } from './operation.ts';
import { consoleHas, consoleOf, ON_HOST, temporaryGuest } from './world.ts';

/** A volume keeps what a guest wrote, on whatever host it is attached next. */
export const volumes: GuestOperation = {
  title: 'a volume is written by a guest, read by one on the other host, snapshotted, backed up and restored',
  async run(world) {
    const { client } = world;
    const [here, there] = COMPUTE_NODES;
    await using writer = await temporaryGuest(world, 'writer', '--host', here, ...ON_HOST);
    await using reader = await temporaryGuest(world, 'reader', '--host', there, ...ON_HOST);
    await using volume = await temporary(client, 'volume', 'kept', '--size', '1');
    await attached(client, writer.id, volume.id, / volume vd\w has nothing[^]* has written by writer/);
    await attached(client, reader.id, volume.id, / volume vd\w has written by writer/);
    await using snapshot = await temporary(client, 'volumeSnapshot', 'kept', '--volume', volume.id);
    await using copy = await temporary(client, 'volume', 'copy', '--snapshot', snapshot.id);
    await attached(
      client,
      reader.id,
      copy.id,
      / volume vd\w has written by writer[^]* volume vd\w has written by writer/,
    );
    const backup = await client.id('volume', 'backup', 'create', '--name', 'kept', volume.id);
    await stateOf(client, 'cinder', `/backups/${backup}`, 'available');
    const { volume_id: restored = '' } = await client.json<{ volume_id?: string }>(
      'volume',
      'backup',
      'restore',
      backup,
      'restored',
    );
    await stateOf(client, 'cinder', `/volumes/${restored}`, 'available');
    await attached(client, writer.id, restored, / has written by writer[^]* volume vd\w has written by writer/);
    await client.openstack('volume', 'delete', restored);
    await goneFrom(client, 'cinder', `/volumes/${restored}`);
    await client.openstack('volume', 'backup', 'delete', backup);
    await goneFrom(client, 'cinder', `/backups/${backup}`);
    return `${here} → ${there}, a snapshot's copy, a backup's copy`;
  },
};

/** A volume made from an image is its clone, and boots. */
export const bootsFromVolume: GuestOperation = {
  title: 'a guest boots from a volume that is a clone of its image',
  async run(world) {
    const { client, basis } = world;
    await using volume = await temporary(client, 'volume', 'root', '--size', '1', '--image', basis.image, '--bootable');
    await using guest = await temporaryGuest(world, 'from-volume', '--volume', volume.id);
    const info = await world.storage.rbd('info', `volumes/volume-${volume.id}`);
    assert.match(info, new RegExp(`parent: images/${basis.image}@snap`));
    return /guest: ([\d.]+) ready/.exec(await consoleOf(client, guest.id))?.[1]?.concat(' s after its kernel') ?? '';
  },
};

/** Attaches a volume until the guest has said what it found, then detaches it. */
async function attached(client: Client, server: string, volume: string, said: RegExp): Promise<void> {
  await client.openstack('server', 'add', 'volume', server, volume);
  await stateOf(client, 'cinder', `/volumes/${volume}`, 'in-use');
  await consoleHas(client, server, said);
  await client.openstack('server', 'remove', 'volume', server, volume);
  await stateOf(client, 'cinder', `/volumes/${volume}`, 'available');
}
