/** The part of `node:os` that our code uses. */
import { shortened } from '../core/ipv6.ts';
import { readFileSync } from './fs.ts';
import { SIGNAL_NAMES, type SignalName } from './signals.ts';

export const constants = {
  signals: Object.fromEntries(SIGNAL_NAMES.map((name, i) => [name, i + 1])) as Readonly<Record<SignalName, number>>,
};

export function hostname(): string {
  return readFileSync('/proc/sys/kernel/hostname', 'utf8').trim();
}

/** An address of fib_trie is this machine's where the line below it says so: `/32 host LOCAL`. */
const LOCAL_V4 = /\|-- (\S+)\n\s+\/32 host LOCAL\n/g;
const V6_GROUP = /.{4}/g;

/** By what the kernel tells of its routes; under one name, since nothing of ours asks for an interface's. */
export function networkInterfaces(): Readonly<Record<string, readonly { readonly address: string }[] | undefined>> {
  const v4 = [...tableOf('/proc/net/fib_trie').matchAll(LOCAL_V4)].map(([, address = '']) => address);
  const v6 = tableOf('/proc/net/if_inet6')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) =>
      shortened(
        line
          .slice(0, 32)
          .match(V6_GROUP)!
          .map((group) => group.replace(/^0{1,3}/, '')),
      ),
    );
  return { all: [...new Set([...v4, ...v6])].map((address) => ({ address })) };
}

/** Empty on a kernel without that protocol. */
function tableOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
