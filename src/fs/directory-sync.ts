import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * As makeDirectories of directory.ts, where nothing else may run in between, and on both engines. What stands there may be no directory:
 * who opens a file in it is told. Throws the system's error.
 */
export function makeDirectoriesSync(path: string, mode: number): void {
  try {
    makeOneSync(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    makeDirectoriesSync(dirname(path), mode);
    makeOneSync(path, mode);
  }
}

function makeOneSync(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
