import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../bundle.ts';

/** The lockfile's entry of a package. */
export interface LockedPackage {
  readonly version?: string;
  /** The hash in npm's format: `sha512-` and base64. */
  readonly integrity?: string;
}

let lock: Promise<{ readonly packages: Readonly<Record<string, LockedPackage | undefined>> }> | undefined;

/** The entry of the package in that directory, `node_modules/NAME`, for any machine; empty if the lockfile has none. */
export async function lockedPackage(directory: string): Promise<LockedPackage> {
  lock ??= readFile(join(ROOT, 'package-lock.json'), 'utf8').then((text) => JSON.parse(text));
  return (await lock).packages[directory] ?? {};
}
