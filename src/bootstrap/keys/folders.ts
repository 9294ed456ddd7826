import { UsageError } from '../../core/errors.ts';
import { suggestion } from '../../core/nearest.ts';
import type { KeyRepository } from '../../catalog/index.ts';

/** `--keys-from` by the repository's name. @throws UsageError for a word that is for none of them */
export function foldersOf(words: readonly string[], repositories: readonly KeyRepository[]): Map<string, string> {
  const names = repositories.map(({ name }) => name);
  const folders = new Map<string, string>();
  for (const word of words) {
    const [, name = '', folder = ''] = /^([^=/]+)=(.+)$/.exec(word) ?? [];
    if (folder === '')
      throw new UsageError(`--keys-from ${word}: write NAME=FOLDER, such as fernet=/etc/keystone/fernet-keys`);
    if (!names.includes(name)) throw new UsageError(`--keys-from ${word}: no keys '${name}'${suggestion(name, names)}`);
    if (folders.has(name)) throw new UsageError(`--keys-from: ${name} is given twice: leave one out`);
    folders.set(name, folder);
  }
  return folders;
}
