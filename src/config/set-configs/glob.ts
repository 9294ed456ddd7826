import { hasMagic, segmentRegExp } from '../glob.ts';
import { basename, dirname, join } from './python.ts';
import type { Tree } from './tree.ts';

/** Python's glob.glob in a tree, with sorted directory entries; the paths start as the pattern does. */
export function globIn(tree: Tree, pattern: string): string[] {
  if (!hasMagic(pattern)) {
    const isThere = pattern.endsWith('/') ? tree.isDirectory(dirname(pattern)) : tree.lstat(pattern) !== undefined;
    return isThere ? [pattern] : [];
  }
  const [directory, name] = [dirname(pattern), basename(pattern)];
  const directories = directory !== pattern && hasMagic(directory) ? globIn(tree, directory) : [directory];
  return directories.flatMap((one) => namesIn(tree, one, name).map((found) => join(one, found)));
}

function namesIn(tree: Tree, directory: string, name: string): string[] {
  if (name === '') return tree.isDirectory(directory) ? [''] : [];
  if (!hasMagic(name)) return tree.lstat(join(directory, name)) === undefined ? [] : [name];
  const matcher = segmentRegExp(name);
  if (!tree.isDirectory(directory === '' ? '.' : directory)) return [];
  const names = tree.list(directory === '' ? '.' : directory);
  return names.filter((one) => matcher.test(one) && (name.startsWith('.') || !one.startsWith('.')));
}
