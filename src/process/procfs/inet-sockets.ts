import { codeOf } from '../../core/errors.ts';
import { shortened } from '../../core/ipv6.ts';
import { eachLine } from './read.ts';

export type Protocol = 'tcp' | 'udp';

/**
 * States with the names of ss. For UDP only two matter: CLOSE means bound and unconnected, ESTABLISHED means connected.
 */
const STATES = [
  'UNKNOWN',
  'ESTABLISHED',
  'SYN-SENT',
  'SYN-RECV',
  'FIN-WAIT-1',
  'FIN-WAIT-2',
  'TIME-WAIT',
  'CLOSE',
  'CLOSE-WAIT',
  'LAST-ACK',
  'LISTEN',
  'CLOSING',
  'SYN-RECV',
] as const;
type SocketState = (typeof STATES)[number];

/** One IP socket in this network namespace. */
export interface InetSocket {
  readonly protocol: Protocol;
  readonly state: SocketState;
  readonly local: Endpoint;
  readonly remote: Endpoint;
  /** Inode, which links the socket to the descriptors of processes. `0` means no owner, as in TIME-WAIT. */
  readonly inode: string;
}

interface Endpoint {
  /** An address has 8 or 32 digits, in groups of four bytes in the machine's byte order: `0100007F` is 127.0.0.1. */
  readonly hex: string;
  readonly port: number;
}

/** The kernel's tables. Without IPv6, the table for it is missing. */
const TABLES = { tcp: ['tcp', 'tcp6'], udp: ['udp', 'udp6'] } as const;

const ROW =
  /^ *\d{1,10}: ([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4}) ([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4}) ([0-9A-F]{2}) \S+ \S+ \S+ +\d+ +\d+ (\d+)/;

/** Parses a line of /proc/net/tcp, tcp6, udp or udp6. Undefined for the header and for any other text. */
export function parseInetSocket(line: string, protocol: Protocol): InetSocket | undefined {
  const [, local, localPort, remote, remotePort, state = '', inode] = ROW.exec(line) ?? [];
  if (local === undefined || localPort === undefined || inode === undefined) return undefined;
  if (remote === undefined || remotePort === undefined) return undefined;
  return {
    protocol,
    state: STATES[Number.parseInt(state, 16)] ?? 'UNKNOWN',
    local: { hex: local, port: Number.parseInt(localPort, 16) },
    remote: { hex: remote, port: Number.parseInt(remotePort, 16) },
    inode,
  };
}

export interface NetEffects {
  /** `/proc`, except in tests. */
  readonly proc: string;
  readonly signal: AbortSignal;
  /** Reports only sockets that have one of these ports at either end. */
  readonly ports?: readonly number[];
}

/**
 * Calls `each` with every IP socket of this network namespace, until it returns true. Needs no privileges.
 * @throws the system's error without /proc; the signal's reason
 */
export async function eachInetSocket(
  protocols: readonly Protocol[],
  each: (socket: InetSocket) => boolean,
  { proc, signal, ports }: NetEffects,
): Promise<boolean> {
  const having = ports?.map((port) => `:${port.toString(16).toUpperCase().padStart(4, '0')} `);
  for (const protocol of protocols) {
    for (const table of TABLES[protocol]) {
      const onLine = (line: string) => {
        const socket = parseInetSocket(line, protocol);
        return socket !== undefined && each(socket);
      };
      try {
        if (await eachLine(`${proc}/net/${table}`, onLine, signal, { isByRow: true, ...(having && { having }) }))
          return true;
      } catch (error) {
        if (!table.endsWith('6') || codeOf(error) !== 'ENOENT') throw error;
      }
    }
  }
  return false;
}

/** An address in text form: `10.0.0.5:5672`, `[::1]:5672`; an IPv4-mapped address as IPv4; `*:53` for any address. */
export function formatEndpoint({ hex, port }: Endpoint): string {
  const bytes = Buffer.from(hex, 'hex');
  // The kernel prints four bytes as one number in the machine's byte order.
  if (LITTLE_ENDIAN) bytes.swap32();
  if (bytes.every((byte) => byte === 0)) return `*:${port}`;
  if (bytes.length === 4) return `${bytes.join('.')}:${port}`;
  if (hex.startsWith(MAPPED)) return `${bytes.subarray(12).join('.')}:${port}`;
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i).toString(16));
  return `[${shortened(groups)}]:${port}`;
}

const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
const MAPPED = `${'0'.repeat(16)}${LITTLE_ENDIAN ? 'FFFF0000' : '0000FFFF'}`;
