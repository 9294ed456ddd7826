/** Socket addresses as text and as the bytes of a sockaddr, which are the same on both architectures. */
import { shortened } from '../../core/ipv6.ts';
import { systemError } from '../runtime/errors.ts';
import { AT } from '../runtime/sys.ts';

export const FAMILY = { unix: 1, v4: 2, v6: 10 } as const;

const V4_BYTES = 16;
const V6_BYTES = 28;
/** Maximum size of a socket path, including the final NUL. */
const PATH_BYTES = 108;

const EINVAL = -22;

/** The address of one end of a connection. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** The IP version, 4 or 6; 0 if it is not an address. */
export function isIP(text: string): 0 | 4 | 6 {
  if (v4Bytes(text) !== undefined) return 4;
  return v6Bytes(text.replace(/%[\w.-]+$/, '')) === undefined ? 0 : 6;
}

export const isIPv4 = (text: string): boolean => isIP(text) === 4;
export const isIPv6 = (text: string): boolean => isIP(text) === 6;

/** The path of a Unix socket. */
export interface LocalEndpoint {
  readonly path: string;
}

/**
 * @throws TypeError for an invalid address; the system's error for an overlong path
 */
export function bytesOf(to: Endpoint | LocalEndpoint): Uint8Array {
  if ('path' in to) return bytesOfPath(to.path);
  const { address, port } = to;
  const [bare = '', zone] = address.split('%');
  const [v4, v6] = [v4Bytes(address), v6Bytes(bare)];
  if (v4 === undefined && v6 === undefined) throw new TypeError(`'${address}' is no IP address`);
  const bytes = new Uint8Array(v4 === undefined ? V6_BYTES : V4_BYTES);
  bytes[0] = v4 === undefined ? FAMILY.v6 : FAMILY.v4;
  bytes.set([port >> 8, port & 0xff], 2);
  if (v4 !== undefined) bytes.set(v4, 4);
  else bytes.set(v6!, 8);
  if (zone !== undefined) new DataView(bytes.buffer).setUint32(24, scopeOf(zone), true);
  return bytes;
}

/** The index of the interface of a link-local address, by its number or name: `fe80::1%eth0`. */
function scopeOf(zone: string): number {
  if (/^\d+$/.test(zone)) return Number(zone);
  const fd = sys.open(AT.cwd, `/sys/class/net/${zone}/ifindex`, 0, 0);
  if (fd < 0) throw systemError(EINVAL, 'connect');
  const text = new Uint8Array(16);
  const length = sys.read(fd, text, 0, text.length, -1);
  sys.close(fd);
  return Number(sys.decode(text, 0, length));
}

function bytesOfPath(path: string): Uint8Array {
  const name = new Uint8Array(sys.encode(path));
  if (name.length >= PATH_BYTES) throw systemError(EINVAL, 'connect');
  const bytes = new Uint8Array(2 + name.length + 1);
  bytes[0] = FAMILY.unix;
  bytes.set(name, 2);
  return bytes;
}

/** The address of a TCP or UDP socket; undefined for other kinds. */
export function endpointOf(bytes: Uint8Array): Endpoint | undefined {
  const port = (bytes[2]! << 8) | bytes[3]!;
  if (bytes[0] === FAMILY.v4) return { address: addressText(bytes.subarray(4, 8)), port };
  return bytes[0] === FAMILY.v6 ? { address: addressText(bytes.subarray(8, 24)), port } : undefined;
}

/** @param bytes 4 or 16 bytes of an address */
export function addressText(bytes: Uint8Array): string {
  return bytes.length === 4 ? bytes.join('.') : v6Text(bytes);
}

function v4Bytes(text: string): number[] | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part))) return undefined;
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte < 256) ? bytes : undefined;
}

/** Undefined if it is no IPv6 address. */
export function v6Bytes(text: string): number[] | undefined {
  const [left = '', right, more] = text.split('::');
  if (!text.includes(':') || more !== undefined) return undefined;
  const [head, tail] = [groupsOf(left), right === undefined ? [] : groupsOf(right)];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 16 - head.length - tail.length;
  if (right === undefined ? missing !== 0 : missing < 2) return undefined;
  return [...head, ...Array.from({ length: missing }, () => 0), ...tail];
}

/** The last group may be an IPv4 address. */
function groupsOf(text: string): number[] | undefined {
  if (text === '') return [];
  const groups = text.split(':');
  const bytes = groups.flatMap((group, i) => {
    if (/^[\da-f]{1,4}$/i.test(group)) return [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff];
    return (i === groups.length - 1 ? v4Bytes(group) : undefined) ?? [Number.NaN];
  });
  return bytes.some(Number.isNaN) ? undefined : bytes;
}

function v6Text(bytes: Uint8Array): string {
  if (bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff)
    return `::ffff:${bytes.subarray(12).join('.')}`;
  return shortened(Array.from({ length: 8 }, (_, i) => ((bytes[2 * i]! << 8) | bytes[2 * i + 1]!).toString(16)));
}
