import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { followAt } from './access.ts';

/**
 * Makes a directory if it is missing, in one that is there. Not what is missing above it: of a mistyped path nothing shall be
 * made. Rejects with the system's error.
 */
export async function makeDirectory(path: string, mode: number): Promise<void> {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Makes a directory, and what is missing above it. Node's own recursive mkdir never ends where a directory is there in which none
 * can be made, such as /proc, and no signal ends it.
 * @returns the topmost that was missing; undefined where all was there. Rejects with the system's error, EEXIST where
 *   something else stands there.
 */
export async function makeDirectories(path: string, mode?: number): Promise<string | undefined> {
  try {
    mkdirSync(path, { mode });
    return path;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return await asFound(path, error);
    const above = dirname(path);
    if (above === path) throw error;
    const first = await makeDirectories(above, mode);
    const isOurs = await made(path, mode);
    return first ?? (isOurs ? path : undefined);
  }
}

async function made(path: string, mode: number | undefined): Promise<boolean> {
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (error) {
    await asFound(path, error);
    return false;
  }
}

/** Another process may have been quicker, and what is there may be a link to a directory. */
async function asFound(path: string, error: unknown): Promise<undefined> {
  if (followAt(path)?.isDirectory() !== true) throw error;
  return undefined;
}
