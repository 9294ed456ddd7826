import { readFile } from 'node:fs/promises';
import { ConfigError, reasonOf } from '../../core/errors.ts';

/** Reads a secret from a file, without a trailing line break. */
export async function readSecret(file: string, option: string): Promise<string> {
  const secret = (await readText(file, `is what ${option} names`)).replace(/\r?\n$/, '');
  if (secret === '') throw new ConfigError(`${file}, given by ${option}, is empty`);
  return secret;
}

/** @param why the reason, worded to follow the file's name and "which" in an error */
export async function readText(file: string, why: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new ConfigError(`cannot read ${file}, which ${why}: ${reasonOf(cause)}`, { cause });
  }
}
