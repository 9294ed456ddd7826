import { shortened } from '../../core/ipv6.ts';
import { eachLine } from './read.ts';

export type Protocol = 'tcp' | 'udp';

/** As ss names them. For UDP only two mean something: CLOSE is bound and not connected, ESTABLISHED is connected. */
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

/** One IP socket of this network namespace. */
export interface InetSocket {
  readonly protocol: Protocol;
  readonly state: SocketState;
  readonly local: Endpoint;
  readonly remote: Endpoint;
  /** Joins it to the descriptors of processes. `0`: no process has it, as in TIME-WAIT. */
  readonly inode: string;
}

interface Endpoint {
  /** 8 or 32 digits, each four bytes in the machine's order: `0100007F` is 127.0.0.1. */
  readonly hex: string;
  readonly port: number;
}

/** Where the kernel writes them; IPv6 may be switched off, and its table is absent then. */
const TABLES = { tcp: ['tcp', 'tcp6'], udp: ['udp', 'udp6'] } as const;

const ROW =
  /^ *\d{1,10}: ([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4}) ([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4}) ([0-9A-F]{2}) \S+ \S+ \S+ +\d+ +\d+ (\d+)/;

/** A line of /proc/net/tcp, tcp6, udp or udp6. Undefined for the head, and for anything else. */
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
  /** `/proc`, but in tests. */
  readonly proc: string;
  readonly signal: AbortSignal;
  /** Only sockets with one of these at either end are told. */
  readonly ports?: readonly number[];
}

/**
 * Calls `each` with every IP socket of this network namespace, whoever has it, until it returns true. Needs no rights.
 * @throws the system's error where there is no /proc; the signal's reason
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
        if (!table.endsWith('6') || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
  }
  return false;
}

/** `10.0.0.5:5672`, `[::1]:5672`; an IPv4 address that an IPv6 socket uses as itself; `*:53` for any address. */
export function formatEndpoint({ hex, port }: Endpoint): string {
  const bytes = Buffer.from(hex, 'hex');
  // The kernel prints four bytes as one number of this machine.
  if (LITTLE_ENDIAN) bytes.swap32();
  if (bytes.every((byte) => byte === 0)) return `*:${port}`;
  if (bytes.length === 4) return `${bytes.join('.')}:${port}`;
  if (hex.startsWith(MAPPED)) return `${bytes.subarray(12).join('.')}:${port}`;
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i).toString(16));
  return `[${shortened(groups)}]:${port}`;
}

const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
const MAPPED = `${'0'.repeat(16)}${LITTLE_ENDIAN ? 'FFFF0000' : '0000FFFF'}`;
