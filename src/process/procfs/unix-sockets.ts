import { eachLine } from './read.ts';
import type { NetEffects } from './inet-sockets.ts';

/** A Unix socket that has a name, of this network namespace. */
export interface UnixSocket {
  /** As it was bound, in Latin-1; an abstract one begins with `@`. */
  readonly path: string;
  /** Takes connections; or, for datagrams, is bound. */
  readonly isListening: boolean;
  readonly inode: string;
}

const ACCEPTS = 0x1_00_00;
const DATAGRAM = '0002';
const ROW = /^[0-9a-f]+: [0-9A-F]{8} [0-9A-F]{8} ([0-9A-F]{8}) ([0-9A-F]{4}) [0-9A-F]{2} +(\d+) (.+)$/s;

/** A line of /proc/net/unix. Undefined for the head, for a socket without a name, and for anything else. */
export function parseUnixSocket(line: string): UnixSocket | undefined {
  const [, flags = '', type, inode, path] = ROW.exec(line) ?? [];
  if (inode === undefined || path === undefined) return undefined;
  return { path, isListening: (Number.parseInt(flags, 16) & ACCEPTS) !== 0 || type === DATAGRAM, inode };
}

/**
 * Calls `each` with every Unix socket that has a name, until it returns true. Needs no rights. The kernel writes a name's
 * bytes as they are: one that has a line break is not found, and could pretend to be another.
 * @throws the system's error where there is no /proc; the signal's reason
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
