import { readFile } from 'node:fs/promises';
import { ConfigError, reasonOf } from '../../core/errors.ts';

/** @param why the reason, worded to follow the file's name and "which" in an error */
export async function readText(file: string, why: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new ConfigError(`cannot read ${file}, which ${why}: ${reasonOf(cause)}`, { cause });
  }
}
