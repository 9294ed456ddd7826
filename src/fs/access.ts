import { accessSync, constants, lstatSync, statSync, type Stats } from 'node:fs';
import { unlessAbsent } from './absent.ts';

/**
 * Whether this process has that access to the path. Never rejects.
 * @param how bits of fs.constants: R_OK, W_OK, X_OK
 */
export function may(path: string, how: number): boolean {
  try {
    accessSync(path, how);
    return true;
  } catch {
    return false;
  }
}

/** Whether the path exists, as far as it is accessible. Links are followed. Never rejects. */
export function isThere(path: string): boolean {
  return may(path, constants.F_OK);
}

/** Whether this process may create and remove files in that directory. */
export function mayWriteIn(directory: string): boolean {
  return may(directory, constants.W_OK | constants.X_OK);
}

/**
 * Same as lstat, or undefined if the path is missing. Synchronous, because waking a thread for each of many files takes
 * longer than the call.
 */
export function lookAt(path: string): Stats | undefined {
  return unlessAbsent(() => lstatSync(path, { throwIfNoEntry: false }));
}

/** Same as stat with links followed; undefined if the path is inaccessible. */
export function followAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
