/** The part of `node:os` that our code uses. */
import { systemError } from './errors.ts';
import { readFileSync } from './fs.ts';
import { endpointOf } from './net/address.ts';
import { SIGNAL_NAMES, type SignalName } from './signals.ts';

export const constants = {
  signals: Object.fromEntries(SIGNAL_NAMES.map((name, i) => [name, i + 1])) as Readonly<Record<SignalName, number>>,
};

export function hostname(): string {
  return readFileSync('/proc/sys/kernel/hostname', 'utf8').trim();
}

interface Address {
  readonly address: string;
}

/** By the names of interfaces, each with its addresses in the kernel's order. */
export function networkInterfaces(): Readonly<Record<string, readonly Address[] | undefined>> {
  const found = sys.interfaces();
  if (typeof found === 'number') throw systemError(found, 'getifaddrs');
  const all: Record<string, Address[]> = {};
  for (let at = 0; at < found.length; at += 2) {
    const endpoint = endpointOf(new Uint8Array(found[at + 1] as ArrayBuffer));
    if (endpoint !== undefined) (all[found[at] as string] ??= []).push({ address: endpoint.address });
  }
  return all;
}
