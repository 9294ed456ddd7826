import { accessSync, constants, lstatSync, readdirSync, readlinkSync, statSync, type Stats } from 'node:fs';
import { basename, join } from 'node:path';
import { unlessAbsent } from '../fs/absent.ts';
import { glob, hasMagic } from './glob.ts';
import { CONFIG_DIR } from './read.ts';

/** One thing to put in place. `mode` is the source's own. */
export interface Match {
  readonly kind: 'file' | 'directory';
  readonly source: string;
  /** As config.json says it, not yet under a root. */
  readonly dest: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Seconds since 1970. */
  readonly times: { readonly atime: number; readonly mtime: number };
  /** Where the source leads, if it is a link to a file. */
  readonly target: string | undefined;
}

/** Where a source of config.json is read: what Kolla mounts at CONFIG_DIR may be mounted elsewhere. */
export function sourcePath(source: string, configDir: string): string {
  if (source !== CONFIG_DIR && !source.startsWith(`${CONFIG_DIR}/`)) return source;
  const path = join(configDir, source.slice(CONFIG_DIR.length));
  return source.endsWith('/.') ? `${path}/.` : path;
}

/** Whether a source ends with a slash or with `.`: the content of that directory is meant, and no name is appended to `dest`. */
export function isNameless(source: string): boolean {
  return /\/\.?$/.test(source);
}

/**
 * Everything that one entry copies, in a stable order. Empty when nothing matches. A dest that ends with a slash is a
 * directory to put the source into. Throws the system's error for what can't be looked at.
 * @param keepsLinks a link to nowhere is copied as the link that it is
 */
export async function matchesOf(source: string, dest: string, configDir: string, keepsLinks = false): Promise<Match[]> {
  const pattern = sourcePath(source, configDir);
  const found = hasMagic(pattern) ? glob(pattern) : literal(pattern);
  const destOf = (path: string) => (dest.endsWith('/') && !isNameless(source) ? join(dest, basename(path)) : dest);
  return found.flatMap((path) => walk(path, destOf(path), keepsLinks));
}

/** Throws RangeError for a file that can't be copied because this user may not read it. */
export function checkReadable({ kind, source }: Match): true {
  try {
    if (kind === 'file') accessSync(source, constants.R_OK);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EACCES')
      throw new RangeError(`${source} is not readable; give its volume a defaultMode or fsGroup that lets us`, {
        cause,
      });
  }
  return true;
}

function literal(path: string): string[] {
  return unlessAbsent(() => lstatSync(path)) === undefined ? [] : [path];
}

function kindOf(found: Stats): string {
  if (found.isFIFO()) return 'a FIFO';
  return found.isSocket() ? 'a socket' : 'a device';
}

function walk(source: string, dest: string, keepsLinks: boolean): Match[] {
  const found = followed(source, keepsLinks);
  const { uid, gid, atimeMs, mtimeMs } = found;
  const times = { atime: atimeMs / 1000, mtime: mtimeMs / 1000 };
  const properties = { source, dest, mode: found.mode & 0o7777, uid, gid, times };
  if (found.isFile() || found.isSymbolicLink()) {
    const target = lstatSync(source).isSymbolicLink() ? readlinkSync(source) : undefined;
    return [{ kind: 'file', ...properties, target }];
  }
  if (!found.isDirectory()) throw new RangeError(`${source} is ${kindOf(found)}, not a file or directory`);
  // `..data` and its like are how the kubelet swaps a ConfigMap, not part of it.
  const names = readdirSync(source)
    .filter((name) => !name.startsWith('..'))
    .toSorted();
  const children = names.flatMap((name) => walk(join(source, name), join(dest, name), keepsLinks));
  return [{ kind: 'directory', ...properties, target: undefined }, ...children];
}

function followed(source: string, keepsLinks: boolean): Stats {
  try {
    return statSync(source);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    if (keepsLinks) return lstatSync(source);
    throw new RangeError(`${source} is a link to nowhere`, { cause });
  }
}
