import { chmod, lstat, mkdir, readdir, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { must } from '../../../tools/process.ts';
import { ignoreAbsent } from '../../../src/fs/absent.ts';

/**
 * Fills a directory with hard links to the files of a tree whose paths do not exist in the tree below it.
 * Directories of both have the lower one's mode, because the upper layer's mode is the one that a container sees.
 */
export async function layerAbove(base: string, tree: string, layer: string): Promise<void> {
  const entries = await readdir(tree, { withFileTypes: true });
  const added: string[] = [];
  for (const entry of entries) {
    const [from, below, to] = [join(tree, entry.name), join(base, entry.name), join(layer, entry.name)];
    const found = await lstat(below).catch(ignoreAbsent);
    if (found === undefined) added.push(from);
    else if (entry.isDirectory()) {
      if (!found.isDirectory()) throw new Error(`${from} is a directory, and ${below} is not`);
      await mkdir(to, { recursive: true });
      await layerAbove(below, from, to);
      await chmod(to, (await stat(below)).mode & 0o7777);
      if ((await readdir(to)).length === 0) await rmdir(to);
    }
  }
  if (added.length > 0) await must('cp', ['-al', `--target-directory=${layer}`, ...added]);
}
