import { accessSync, constants, statSync, type Stats } from 'node:fs';

/** Whether this process may do that with what lies at the path. Never rejects. @param how bits of fs.constants: R_OK, W_OK, X_OK */
export async function may(path: string, how: number): Promise<boolean> {
  try {
    accessSync(path, how);
    return true;
  } catch {
    return false;
  }
}

/** Whether something lies at the path, as far as we can see; links are followed. Never rejects. */
export async function isThere(path: string): Promise<boolean> {
  return await may(path, constants.F_OK);
}

/** Whether this process may make files in that directory, and remove them. */
export async function mayWriteIn(directory: string): Promise<boolean> {
  return await may(directory, constants.W_OK | constants.X_OK);
}

/** Of where a link leads; undefined for what can't be looked at. */
export function followAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
