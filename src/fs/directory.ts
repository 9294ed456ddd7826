import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../core/errors.ts';
import { followAt } from './access.ts';

/**
 * Creates a directory if it is missing, but not its parents: nothing must be created for a mistyped path. Throws the
 * system's error.
 */
export function makeDirectory(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/**
 * Creates a directory and its parents. Node's own recursive mkdir never returns in an existing directory in which none
 * can be created, such as /proc, and no signal ends it.
 * @returns the topmost directory that was created; undefined if all existed. Throws the system's error, EEXIST if
 * another object is in the way.
 */
export function makeDirectories(path: string, mode?: number): string | undefined {
  try {
    mkdirSync(path, { mode });
    return path;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') return asFound(path, error);
    const above = dirname(path);
    if (above === path) throw error;
    const first = makeDirectories(above, mode);
    const isOurs = made(path, mode);
    return first ?? (isOurs ? path : undefined);
  }
}

function made(path: string, mode: number | undefined): boolean {
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (error) {
    asFound(path, error);
    return false;
  }
}

/** Another process may have been faster, and the existing path may be a link to a directory. */
function asFound(path: string, error: unknown): undefined {
  if (followAt(path)?.isDirectory() !== true) throw error;
  return undefined;
}
