import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';

/** Whether this host is the pod itself: loopback, one of its addresses, or its name. Asks no name server. */
export function isOwnHost(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (isIP(bare) === 0) return bare === 'localhost' || bare === hostname().toLowerCase();
  if (bare === '::1' || bare.startsWith('127.')) return true;
  return Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address.toLowerCase() === bare));
}
