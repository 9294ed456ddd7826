import { readFile } from 'node:fs/promises';
import { ConfigError, reasonOf } from '../core/errors.ts';

/**
 * Reads a secret from a file, without a trailing line break.
 * @param option name of the option that gave the file, for messages
 * @throws ConfigError if the file is unreadable or empty; the message never contains the file's content
 */
export async function readSecret(file: string, option: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new ConfigError(`cannot read ${file}, given by ${option}: ${reasonOf(cause)}`, { cause });
  });
  const secret = text.replace(/\r?\n$/, '');
  if (secret === '') throw new ConfigError(`${file}, given by ${option}, is empty`);
  return secret;
}
