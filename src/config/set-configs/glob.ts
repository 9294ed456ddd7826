import { hasMagic, segmentRegExp } from '../glob.ts';
import { basename, dirname, join } from './python.ts';
import type { Tree } from './tree.ts';

/** Python's glob.glob in a tree, each folder's names sorted; the paths begin as the pattern does. */
export function globIn(tree: Tree, pattern: string): string[] {
  if (!hasMagic(pattern)) {
    const isThere = pattern.endsWith('/') ? tree.isDirectory(dirname(pattern)) : tree.lstat(pattern) !== undefined;
    return isThere ? [pattern] : [];
  }
  const [folder, name] = [dirname(pattern), basename(pattern)];
  const folders = folder !== pattern && hasMagic(folder) ? globIn(tree, folder) : [folder];
  return folders.flatMap((one) => namesIn(tree, one, name).map((found) => join(one, found)));
}

function namesIn(tree: Tree, folder: string, name: string): string[] {
  if (name === '') return tree.isDirectory(folder) ? [''] : [];
  if (!hasMagic(name)) return tree.lstat(join(folder, name)) === undefined ? [] : [name];
  const matcher = segmentRegExp(name);
  if (!tree.isDirectory(folder === '' ? '.' : folder)) return [];
  const names = tree.list(folder === '' ? '.' : folder);
  return names.filter((one) => matcher.test(one) && (name.startsWith('.') || !one.startsWith('.')));
}
