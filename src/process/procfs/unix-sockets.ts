import { eachLine } from './read.ts';
import type { NetEffects } from './inet-sockets.ts';

/** A named Unix socket in this network namespace. */
export interface UnixSocket {
  /** The socket's path in Latin-1. An abstract one starts with `@`. */
  readonly path: string;
  /** Whether the socket accepts connections or, for datagrams, is bound. */
  readonly isListening: boolean;
  readonly inode: string;
}

const ACCEPTS = 0x1_00_00;
const DATAGRAM = '0002';
const ROW = /^[0-9a-f]+: [0-9A-F]{8} [0-9A-F]{8} ([0-9A-F]{8}) ([0-9A-F]{4}) [0-9A-F]{2} +(\d+) (.+)$/s;

/** Parses a line of /proc/net/unix. Undefined for the header, for an unnamed socket, and for any other text. */
export function parseUnixSocket(line: string): UnixSocket | undefined {
  const [, flags = '', type, inode, path] = ROW.exec(line) ?? [];
  if (inode === undefined || path === undefined) return undefined;
  return { path, isListening: (Number.parseInt(flags, 16) & ACCEPTS) !== 0 || type === DATAGRAM, inode };
}

/**
 * Calls `each` with every named Unix socket, until it returns true. Needs no privileges. The kernel does not escape
 * names: one with a line break is not found, and could imitate another.
 * @throws the system's error without /proc; the signal's reason
 */
export async function eachUnixSocket(
  each: (socket: UnixSocket) => boolean,
  { proc, signal }: NetEffects,
): Promise<boolean> {
  const onLine = (line: string) => {
    const socket = parseUnixSocket(line);
    return socket !== undefined && each(socket);
  };
  return await eachLine(`${proc}/net/unix`, onLine, signal);
}
