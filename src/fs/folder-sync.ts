import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * As makeFolders of folder.ts, where nothing else may run in between, and on both engines. What stands there may be no folder:
 * who opens a file in it is told. Throws the system's error.
 */
export function makeFoldersSync(path: string, mode: number): void {
  try {
    makeOneSync(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    makeFoldersSync(dirname(path), mode);
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
