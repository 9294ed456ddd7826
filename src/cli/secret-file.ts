import { readFile } from 'node:fs/promises';
import { ConfigError, messageOf } from '../core/errors.ts';

/**
 * A secret that a file holds. The line break that such a file often ends with is not part of it.
 * @param option that named the file, for messages
 * @throws ConfigError for a file that can't be read, or is empty; never with its text
 */
export async function readSecret(file: string, option: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new ConfigError(`cannot read ${file}, which ${option} names: ${messageOf(cause)}`, { cause });
  });
  const secret = text.replace(/\r?\n$/, '');
  if (secret === '') throw new ConfigError(`${file}, which ${option} names, is empty`);
  return secret;
}
