import { lstat, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { glob, hasMagic } from './glob.ts';
import { CONFIG_DIR } from './read.ts';

/** One thing to put in place. `mode` is the source's own. */
export interface Match {
  readonly kind: 'file' | 'directory';
  readonly source: string;
  /** As config.json says it, not yet under a root. */
  readonly dest: string;
  readonly mode: number;
}

/** Where a source of config.json is read: what Kolla mounts at CONFIG_DIR may be mounted elsewhere. */
export function sourcePath(source: string, configDir: string): string {
  return source === CONFIG_DIR || source.startsWith(`${CONFIG_DIR}/`)
    ? join(configDir, source.slice(CONFIG_DIR.length))
    : source;
}

/**
 * Everything that one entry copies, in a stable order. Empty when nothing matches. A dest that ends with a slash is a
 * folder to put the source into. Throws the system's error for what can't be looked at.
 */
export async function matchesOf(source: string, dest: string, configDir: string): Promise<Match[]> {
  const pattern = sourcePath(source, configDir);
  const found = hasMagic(pattern) ? await glob(pattern) : await literal(pattern);
  const trees = await Promise.all(
    found.map((path) => walk(path, dest.endsWith('/') ? join(dest, basename(path)) : dest)),
  );
  return trees.flat();
}

async function literal(path: string): Promise<string[]> {
  try {
    await lstat(path);
    return [path];
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

async function walk(source: string, dest: string): Promise<Match[]> {
  const found = await stat(source).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === 'ENOENT' ? new RangeError(`${source} is a link to nowhere`, { cause }) : cause;
  });
  const mode = found.mode & 0o7777;
  if (found.isFile()) return [{ kind: 'file', source, dest, mode }];
  if (!found.isDirectory()) throw new RangeError(`${source} is neither a file nor a folder`);
  // `..data` and its like are how the kubelet swaps a ConfigMap, not part of it.
  const names = (await readdir(source)).filter((name) => !name.startsWith('..')).toSorted();
  const children = await Promise.all(names.map((name) => walk(join(source, name), join(dest, name))));
  return [{ kind: 'directory', source, dest, mode }, ...children.flat()];
}
