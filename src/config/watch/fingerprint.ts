import { createHash, type Hash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A digest of everything that lies at these paths: names, modes, content, and what is absent or can't be read. Links are
 * followed, so a ConfigMap's `..data` counts by what it leads to; entries that begin with `..` are the kubelet's own.
 * Two calls that agree have seen the same, whatever inotify said.
 */
export async function fingerprintOf(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of paths) await add(hash, path);
  return hash.digest('hex');
}

async function add(hash: Hash, path: string): Promise<void> {
  try {
    const found = await stat(path);
    const mode = found.mode.toString(8);
    if (found.isDirectory()) {
      const names = (await readdir(path)).filter((name) => !name.startsWith('..')).toSorted();
      hash.update(`folder\0${path}\0${mode}\0`);
      for (const name of names) await add(hash, join(path, name));
    } else if (found.isFile()) {
      const content = await readFile(path);
      hash.update(`file\0${path}\0${mode}\0${content.byteLength}\0`).update(content);
    } else hash.update(`other\0${path}\0${mode}\0`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    hash.update(`${code}\0${path}\0`);
  }
}
