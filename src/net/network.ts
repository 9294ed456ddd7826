import { isIPv4, isIPv6 } from 'node:net';

/** A range of IP addresses. */
export interface Network {
  readonly bits: bigint;
  /** Bits of an address of its family: 32 or 128. */
  readonly width: number;
  /** Leading bits that all its addresses share. */
  readonly prefix: number;
}

/** Parses `192.0.2.0/24` or `fd00::/64`. @throws RangeError */
export function parseNetwork(text: string): Network {
  const { address = '', prefix } = /^(?<address>[^/]+)\/(?<prefix>\d{1,3})$/.exec(text)?.groups ?? {};
  const parsed = bitsOf(address);
  const length = Number(prefix);
  if (parsed === undefined || !(length <= parsed.width)) throw new RangeError(`'${text}' is not ADDRESS/PREFIX`);
  return { ...parsed, prefix: length };
}

/** Whether an IP address is in the network. An address of the other family is not, nor is another text. */
export function isInNetwork(address: string, { bits, width, prefix }: Network): boolean {
  const own = bitsOf(address);
  const others = BigInt(width - prefix);
  return own?.width === width && own.bits >> others === bits >> others;
}

function bitsOf(address: string): Pick<Network, 'bits' | 'width'> | undefined {
  if (isIPv4(address)) return { bits: joined(address.split('.').map(Number), 8), width: 32 };
  if (!isIPv6(address) || address.includes('%')) return undefined;
  // The last 32 bits may be in IPv4's form.
  const [, before = '', v4] = /^(.*:)(\d+\.[\d.]+)$/.exec(address) ?? [];
  const last = v4 === undefined ? 0n : joined(v4.split('.').map(Number), 8);
  const text = v4 === undefined ? address : `${before}${(last >> 16n).toString(16)}:${(last & 0xffffn).toString(16)}`;
  const [head = [], tail] = text.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = tail === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array.from({ length: zeros }, () => '0'), ...(tail ?? [])];
  return {
    bits: joined(
      groups.map((group) => Number.parseInt(group, 16)),
      16,
    ),
    width: 128,
  };
}

function joined(parts: readonly number[], size: number): bigint {
  return parts.reduce((sum, part) => (sum << BigInt(size)) | BigInt(part), 0n);
}
