import { HeldFile } from './held-file.ts';
import type { Sibling } from './siblings.ts';

/** Renames of one file, each between our look at its name and our opening that. */
const MOST_RENAMES = 20;

/**
 * Opens a file that was seen, under the name that rotation has given it since.
 * @param look what is there now
 * Throws the system's error, or that it is gone.
 */
export function hold({ at, stat }: Sibling, buffer: Buffer, look: () => readonly Sibling[]): HeldFile {
  let name: string | undefined = at;
  for (let nth = 0; name !== undefined && nth < MOST_RENAMES; nth++) {
    const file = opened(name, buffer);
    if (file?.ino === stat.ino && file.dev === stat.dev) return file;
    file?.[Symbol.dispose]();
    name = look().find((other) => other.stat.ino === stat.ino && other.stat.dev === stat.dev)?.at;
  }
  throw new Error('it is gone');
}

function opened(path: string, buffer: Buffer): HeldFile | undefined {
  try {
    return new HeldFile(path, buffer);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
