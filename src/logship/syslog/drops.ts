import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import type { Address } from '../../net/address.ts';

/** What the kernel knows of a socket. */
export interface SocketQueue {
  /** Bytes that wait to be read. */
  readonly waiting: number;
  /** Datagrams that found no room. */
  readonly dropped: number;
}

/** local_address, remote, state, tx_queue:rx_queue ... drops. */
const ROW = /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) \S+ \S+ [0-9A-F]+:([0-9A-F]+) .* (\d+) *$/;

/**
 * Of the UDP socket that is bound there, from /proc/net/udp or udp6.
 * @param proc `/proc`, but in tests
 * @returns undefined where that can't be seen
 */
export function queueOf({ host, port }: Address, proc = '/proc'): SocketQueue | undefined {
  const wanted = isIPv6(host) ? undefined : hexOf(host);
  let text: string;
  try {
    text = readFileSync(`${proc}/net/${isIPv6(host) ? 'udp6' : 'udp'}`, 'latin1');
  } catch {
    return undefined; // no /proc here, or IPv6 is off
  }
  for (const line of text.split('\n')) {
    const [, local, portHex = '', waiting = '', dropped] = ROW.exec(line) ?? [];
    const isOurs = Number.parseInt(portHex, 16) === port && (wanted === undefined || wanted === local);
    if (isOurs) return { waiting: Number.parseInt(waiting, 16), dropped: Number(dropped) };
  }
  return undefined;
}

/** Four bytes in the order of the machines that we run on: 127.0.0.1 is 0100007F. */
function hexOf(host: string): string {
  const bytes = host.split('.').map(Number).toReversed();
  return bytes.map((byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join('');
}
