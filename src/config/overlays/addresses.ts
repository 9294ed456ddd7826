import { networkInterfaces } from 'node:os';
import { isInNetwork, parseNetwork } from '../../net/network.ts';

/**
 * The address that this Pod, or with `hostNetwork` its node, has in a network: the first in the kernel's order.
 * @param network `192.0.2.0/24`
 * @throws RangeError with the addresses that there are
 */
export function addressIn(network: string): string {
  const parsed = parseNetwork(network);
  const all = Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses.map(({ address }) => ({ name, address })),
  );
  const found = all.find(({ address }) => isInNetwork(address, parsed));
  if (found !== undefined) return found.address;
  const have = all.map(({ name, address }) => `${address} (${name})`).join(', ');
  throw new RangeError(`no interface that is up has an address in ${network}; there is ${have || 'none'}`);
}
