import { execFile } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { blindToEnvironment } from './blind.ts';
import { ROOT } from './bundle.ts';
import { trimIcu } from './icu.ts';

const exec = promisify(execFile);

/** The node that the binary carries. */
export interface Base {
  readonly path: string;
  /** Why its symbols are still in it, where they are. */
  readonly notStripped: string | undefined;
}

/**
 * Puts the lockfile's node for this machine into the folder, without its symbols where binutils are at hand, without
 * the words of languages that we don't speak (docs/adr/0004-icu-data.md), and blind to the variables that it would obey before our
 * first line (docs/adr/0006-blind-to-the-environment.md).
 */
export async function makeBase(folder: string): Promise<Base> {
  const source = join(ROOT, 'node_modules', `node-linux-${process.arch}`, 'bin/node');
  const path = join(folder, 'node');
  const notStripped = await strip(source, path);
  trimIcu(path);
  blindToEnvironment(path);
  return { path, notStripped };
}

async function strip(source: string, path: string): Promise<string | undefined> {
  try {
    await exec('strip', ['-o', path, source]);
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await copyFile(source, path);
    return 'no `strip` on the PATH (it is in the package binutils)';
  }
}
