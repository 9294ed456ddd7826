import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes what is missing above a path, as anybody may enter it. */
export async function makeParents(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
}

/** Makes a folder if it is missing. Its own mode is not that of what is missing above it. */
export async function makeFolder(path: string, mode: number): Promise<void> {
  await makeParents(path);
  await mkdir(path, { mode }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
