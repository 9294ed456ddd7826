import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../core/errors.ts';

/**
 * Like makeDirectories of directory.ts, but synchronous and for both engines. An existing path is not checked; if it is
 * no directory, opening a file in it fails. Throws the system's error.
 */
export function makeDirectoriesSync(path: string, mode: number): void {
  try {
    makeOneSync(path, mode);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    makeDirectoriesSync(dirname(path), mode);
    makeOneSync(path, mode);
  }
}

function makeOneSync(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}
