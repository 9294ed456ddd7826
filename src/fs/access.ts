import { access, constants } from 'node:fs/promises';

/** Whether this process may do that with what lies at the path. Never rejects. @param how bits of fs.constants: R_OK, W_OK, X_OK */
export async function may(path: string, how: number): Promise<boolean> {
  return await access(path, how).then(
    () => true,
    () => false,
  );
}

/** Whether something lies at the path, as far as we can see; links are followed. Never rejects. */
export async function isThere(path: string): Promise<boolean> {
  return await may(path, constants.F_OK);
}

/** Whether this process may make files in that folder, and remove them. */
export async function mayWriteIn(folder: string): Promise<boolean> {
  return await may(folder, constants.W_OK | constants.X_OK);
}
