import assert from 'node:assert/strict';
import { temporary } from '../operations/operation.ts';
import type { GuestWorld } from './world.ts';

export interface Floating extends AsyncDisposable {
  readonly address: string;
}

/** A floating address of a port. */
export async function floatingTo({ client, external }: GuestWorld, port: string): Promise<Floating> {
  await using stack = new AsyncDisposableStack();
  const { id } = stack.use(await temporary(client, 'floatingIp', external, '--port', port));
  const found = await client.get<{ floatingip: { floating_ip_address: string } }>('neutron', `/floatingips/${id}`);
  const kept = stack.move();
  return {
    address: found?.floatingip.floating_ip_address ?? assert.fail('the floating address is gone'),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
