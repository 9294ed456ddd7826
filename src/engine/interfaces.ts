/**
 * The addresses of the machine's interfaces, from the kernel as in getifaddrs(3) (rtnetlink(7)).
 *
 *   dump of links -> index: name, of those that are up -> dump of addresses -> name: addresses, in the kernel's order
 *
 * Throws the system's error if the socket cannot be opened.
 */
import { done, systemError } from './runtime/errors.ts';
import { addressText, FAMILY } from './net/address.ts';

const [AF_NETLINK, SOCK_RAW, NETLINK_ROUTE] = [16, 3, 0];
const [RTM_GETLINK, RTM_GETADDR] = [18, 22];
/** NLM_F_REQUEST and NLM_F_DUMP. */
const DUMP = 0x301;
const [NLMSG_ERROR, NLMSG_DONE] = [2, 3];
const IFF_RUNNING = 0x40;
const IFLA_IFNAME = 3;
/** The local address: for a point-to-point link IFA_ADDRESS is the peer's. IPv6 has only IFA_ADDRESS. */
const [IFA_ADDRESS, IFA_LOCAL] = [1, 2];
const HEADER_BYTES = 16;
/** The kernel's maximum message size. */
const PART_BYTES = 32_768;

/**
 * Addresses by interface name, for interfaces that are up.
 * @throws the system's error
 */
export function interfaceAddresses(): Readonly<Record<string, readonly string[]>> {
  const fd = done(sys.socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), 'socket');
  try {
    const names = new Map<number, string>();
    for (const link of dumped(fd, RTM_GETLINK)) {
      // struct ifinfomsg: family, type, index, flags, change
      if ((link.getUint32(8, true) & IFF_RUNNING) === 0) continue;
      const name = attributesOf(link, 16).get(IFLA_IFNAME);
      if (name !== undefined) names.set(link.getInt32(4, true), sys.decode(name, 0, name.length - 1) ?? '');
    }
    const all: Record<string, string[]> = {};
    for (const each of dumped(fd, RTM_GETADDR)) {
      // struct ifaddrmsg: family, prefix, flags, scope, index
      const name = names.get(each.getUint32(4, true));
      const attributes = attributesOf(each, 8);
      const bytes = attributes.get(IFA_LOCAL) ?? attributes.get(IFA_ADDRESS);
      if (name === undefined || bytes === undefined || !isInternet(each.getUint8(0))) continue;
      (all[name] ??= []).push(addressText(bytes));
    }
    return all;
  } finally {
    sys.close(fd);
  }
}

function isInternet(family: number): boolean {
  return family === FAMILY.v4 || family === FAMILY.v6;
}

/** The content of each message of a dump. The kernel provides it immediately, without waiting. */
function* dumped(fd: number, type: number): Generator<DataView> {
  const request = new DataView(new ArrayBuffer(HEADER_BYTES + 16));
  request.setUint32(0, request.byteLength, true);
  request.setUint16(4, type, true);
  request.setUint16(6, DUMP, true);
  done(sys.write(fd, new Uint8Array(request.buffer), 0, request.byteLength, -1), 'write');
  for (;;) {
    const part = new Uint8Array(PART_BYTES);
    const length = done(sys.read(fd, part, 0, part.length, -1), 'read');
    for (let at = 0; at < length;) {
      const header = new DataView(part.buffer, at, HEADER_BYTES);
      const [size, kind] = [header.getUint32(0, true), header.getUint16(4, true)];
      if (kind === NLMSG_DONE) return;
      const content = new DataView(part.buffer, at + HEADER_BYTES, size - HEADER_BYTES);
      if (kind === NLMSG_ERROR) throw systemError(content.getInt32(0, true), 'netlink');
      yield content;
      at += aligned(size);
    }
  }
}

/**
 * struct rtattr: length, type, then the value.
 * @param from offset offset of the first attribute
 */
function attributesOf(message: DataView, from: number): ReadonlyMap<number, Uint8Array> {
  const found = new Map<number, Uint8Array>();
  for (let at = from; at + 4 <= message.byteLength;) {
    const size = message.getUint16(at, true);
    found.set(message.getUint16(at + 2, true), new Uint8Array(message.buffer, message.byteOffset + at + 4, size - 4));
    at += aligned(size);
  }
  return found;
}

const aligned = (size: number): number => (size + 3) & ~3;
