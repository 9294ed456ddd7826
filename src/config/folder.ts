import { dirname } from 'node:path';
import { makeFolder as makeOne, makeFolders } from '../fs/folder.ts';

/** Makes what is missing above a path, as anybody may enter it. */
export async function makeParents(path: string): Promise<void> {
  await makeFolders(dirname(path), 0o755);
}

/** Makes a folder if it is missing. Its own mode is not that of what is missing above it. */
export async function makeFolder(path: string, mode: number): Promise<void> {
  await makeParents(path);
  await makeOne(path, mode);
}
