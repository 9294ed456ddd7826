/** The part of `node:os` that kolla-core uses. */
import { readFileSync } from './fs.ts';
import { interfaceAddresses } from './interfaces.ts';
import { SIGNAL_NAMES, type SignalName } from './signals.ts';

export const constants = {
  errno: { ENOTCONN: 107, ESTALE: 116 },
  signals: Object.fromEntries(SIGNAL_NAMES.map((name, i) => [name, i + 1])) as Readonly<Record<SignalName, number>>,
};

export function hostname(): string {
  return readFileSync('/proc/sys/kernel/hostname', 'utf8').trim();
}

interface Address {
  readonly address: string;
}

/** Addresses by interface name, in the kernel's order. */
export function networkInterfaces(): Readonly<Record<string, readonly Address[] | undefined>> {
  const found = Object.entries(interfaceAddresses());
  return Object.fromEntries(found.map(([name, all]) => [name, all.map((address) => ({ address }))]));
}
