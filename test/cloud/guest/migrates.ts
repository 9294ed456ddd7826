import assert from 'node:assert/strict';
import { stateOf } from '../client.ts';
import { hostOf, otherThan } from '../operations/server-moves.ts';
import { until } from '../../support/until.ts';
import { floatingTo } from './floating.ts';
import type { GuestOperation } from './operation.ts';
import { pingedDuring, pingText } from './ping.ts';
import { consoleOf, temporaryGuest, type Guest, type GuestWorld } from './world.ts';

/** Migrates a guest live, and asserts that it has not started again. */
export async function movedLive({ client }: GuestWorld, { id }: Guest): Promise<{ from: string; to: string }> {
  const from = await hostOf(client, id);
  const version = ['--os-compute-api-version', '2.30'];
  await client.openstack('server', 'migrate', '--live-migration', ...version, '--wait', id);
  await stateOf(client, 'nova', `/servers/${id}`, 'ACTIVE');
  const to = await hostOf(client, id);
  assert.equal(to, otherThan(from));
  // The console of a host has what a guest wrote there.
  assert.doesNotMatch(await consoleOf(client, id), / init /, 'the guest has started again');
  return { from, to };
}

export const migrates: GuestOperation = {
  title: 'a guest is migrated live while it is pinged',
  async run(world) {
    await using guest = await temporaryGuest(world, 'moved');
    await using floating = await floatingTo(world, guest.port);
    await until('the floating address to answer', () =>
      world.outside('ping', '-c', '1', '-W', '1', floating.address).catch(() => undefined),
    );
    const pinged = await pingedDuring(world, floating.address, () => movedLive(world, guest));
    return `${pinged.result.from} → ${pinged.result.to}: ${pingText(pinged)}`;
  },
};
