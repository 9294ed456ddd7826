import { readdirSync, readlinkSync } from 'node:fs';
import { codeOf } from '../../core/errors.ts';
import { othersTurn } from './read.ts';

/** `denied`: only the process's own user and root have access. `gone`: the process has exited. */
type Looked = 'seen' | 'denied' | 'gone';

const LINKS_A_TURN = 1000;

/**
 * Calls `each` with the inode of every open socket of a process, until it returns true.
 * @throws the signal's reason
 */
export async function eachSocketInode(
  pid: number,
  each: (inode: string) => boolean,
  { proc, signal }: { readonly proc: string; readonly signal: AbortSignal },
): Promise<Looked> {
  const directory = `${proc}/${pid}/fd`;
  try {
    const names = readdirSync(directory);
    for (const [i, name] of names.entries()) {
      const inode = inodeOf(`${directory}/${name}`);
      if (inode !== undefined && each(inode)) break;
      if (i % LINKS_A_TURN === LINKS_A_TURN - 1) await othersTurn(signal);
    }
    return 'seen';
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EACCES' || code === 'EPERM') return 'denied';
    if (code === 'ENOENT' || code === 'ESRCH') return 'gone';
    throw error;
  }
}

const SOCKET = 'socket:[';

/** The socket's inode; undefined for a descriptor that is no socket, or was closed meanwhile. */
function inodeOf(link: string): string | undefined {
  try {
    const target = readlinkSync(link);
    return target.startsWith(SOCKET) ? target.slice(SOCKET.length, -1) : undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
