import { accessSync, constants, lstatSync, readdirSync, readlinkSync, statSync, type Stats } from 'node:fs';
import { basename, join } from 'node:path';
import { codeOf } from '../../core/errors.ts';
import { lookAt } from '../../fs/access.ts';
import { glob, hasMagic } from '../tree/glob.ts';
import { CONFIG_DIR } from './config-dir.ts';

/** One object to install. `mode` is that of the source. */
export interface Match {
  readonly kind: 'file' | 'directory';
  readonly source: string;
  /** Destination as written in config.json, without the root. */
  readonly dest: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Modification time in seconds since the epoch. */
  readonly times: { readonly atime: number; readonly mtime: number };
  /** The target of a source that is a link to a file. */
  readonly target: string | undefined;
}

/** The path of a source of config.json: the content of CONFIG_DIR may be mounted elsewhere. */
export function sourcePath(source: string, configDir: string): string {
  if (source !== CONFIG_DIR && !source.startsWith(`${CONFIG_DIR}/`)) return source;
  const path = join(configDir, source.slice(CONFIG_DIR.length));
  return source.endsWith('/.') ? `${path}/.` : path;
}

/**
 * Whether a source ends with a slash or with `.`: then the content of the directory is copied, and no name is appended
 * to `dest`.
 */
export function isNameless(source: string): boolean {
  return /\/\.?$/.test(source);
}

/**
 * All objects copied by one entry, in a stable order. Empty if nothing matches. A dest with a trailing slash is a
 * directory that receives the source. Throws the system's error for inaccessible paths.
 * @param keepsLinks a dangling link is copied as a link
 */
export function matchesOf(source: string, dest: string, configDir: string, keepsLinks = false): Match[] {
  const pattern = sourcePath(source, configDir);
  const found = hasMagic(pattern) ? glob(pattern) : [pattern].filter((path) => lookAt(path) !== undefined);
  const destOf = (path: string) => (dest.endsWith('/') && !isNameless(source) ? join(dest, basename(path)) : dest);
  return found.flatMap((path) => walk(path, destOf(path), keepsLinks));
}

/** The same for a plan of a Pod that may be made where the sources are not: what cannot be read has no matches. */
export function matchesIfAny(source: string, dest: string, configDir: string): Match[] {
  try {
    return matchesOf(source, dest, configDir);
  } catch {
    return [];
  }
}

/** Throws RangeError if this user may not read the file. */
export function checkReadable({ kind, source }: Match): true {
  try {
    if (kind === 'file') accessSync(source, constants.R_OK);
  } catch (cause) {
    if (codeOf(cause) === 'EACCES')
      throw new RangeError(`${source} is not readable; give its volume a defaultMode or fsGroup that lets us`, {
        cause,
      });
  }
  return true;
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
  // `..data` and similar names belong to the kubelet's update of a ConfigMap, not to its content.
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
    if (codeOf(cause) !== 'ENOENT') throw cause;
    if (keepsLinks) return lstatSync(source);
    throw new RangeError(`${source} is a link to nowhere`, { cause });
  }
}
