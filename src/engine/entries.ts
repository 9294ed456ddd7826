/**
 * A directory's entries, from struct linux_dirent64: number and offset (8 bytes each), length (2), type (1), name,
 * zeros.
 *
 * Errors: the system call's; a name removed while listing may or may not appear.
 */
import { done } from './runtime/errors.ts';
import { nameOf } from './names.ts';

const CHUNK_BYTES = 32_768;
const LENGTH = 16;
const TYPE = 18;
const NAME = 19;

/**
 * Lists a directory without `.` and `..`.
 * @param fd descriptor of a directory that is open for reading
 * @param each called with the type as the upper bits of a mode; 0 if the file system does not provide it
 */
export function eachEntry(fd: number, path: string, each: (name: string, format: number) => void): void {
  const chunk = new Uint8Array(CHUNK_BYTES);
  for (;;) {
    const filled = done(sys.entries(fd, chunk), 'scandir', path);
    if (filled === 0) return;
    for (let at = 0; at < filled; at += chunk[at + LENGTH]! | (chunk[at + LENGTH + 1]! << 8)) {
      const name = nameOf(chunk, at + NAME, chunk.indexOf(0, at + NAME));
      if (name !== '.' && name !== '..') each(name, chunk[at + TYPE]! << 12);
    }
  }
}
