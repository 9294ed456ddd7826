import { codeOf } from '../../core/errors.ts';
import { SetConfigsError, unexpected } from '../failure/failure.ts';
import { globIn } from '../tree/glob.ts';
import { naming } from '../tree/links.ts';
import { setPermission, setPermissionOf } from './permissions.ts';
import { basename, dirname, isTrue, join, text, trimmed, type Mapping } from '../python/values.ts';
import type { Entry } from '../tree/entry.ts';
import type { Work } from './work.ts';

/** One entry of config_files. */
export interface ConfigFile {
  readonly place: string;
  readonly source: string;
  readonly dest: string;
  readonly owner: unknown;
  readonly perm: unknown;
  readonly optional: boolean;
  readonly preserve: boolean;
  readonly merge: boolean;
}

const KEYS = new Set(['source', 'dest', 'owner', 'perm', 'optional', 'preserve_properties', 'merge']);

/** Throws exit code 2 for a key that Kolla does not know, and for a source or dest that is not a string. */
export function configFile(entry: Mapping, place: string): ConfigFile {
  for (const key of Object.keys(entry)) if (!KEYS.has(key)) throw unexpected(`${place}.${key}: there is no such key`);
  return {
    place,
    source: text(entry['source'], `${place}.source`),
    dest: text(entry['dest'], `${place}.dest`),
    owner: entry['owner'],
    perm: entry['perm'],
    optional: isTrue(entry['optional']),
    preserve: isTrue(entry['preserve_properties']),
    merge: isTrue(entry['merge']),
  };
}

/** A file or directory and its destination. */
export interface Placed {
  readonly source: string;
  readonly dest: string;
}

/** The entry's sources and their destinations. Throws exit code 1 if there are none and it is not optional. */
export function matchesOf({ changes }: Pick<Work, 'changes'>, { source, dest, optional }: ConfigFile): Placed[] {
  const sources = globIn(changes.tree, source);
  if (sources.length === 0 && !optional)
    throw new SetConfigsError('MissingRequiredSource', `${source} file is not found`);
  return sources.map((one) => ({ source: one, dest: dest.endsWith('/') ? join(dest, basename(one)) : dest }));
}

/** Copies every source of the entry to its destination. */
export function copyConfigFile(work: Work, file: ConfigFile): void {
  for (const { source, dest } of matchesOf(work, file)) {
    if (!file.merge) deletePath(work, dest);
    makeParents(work, dest);
    const isDirectory = work.changes.tree.isDirectory(source);
    if (isDirectory) refuseIntoItself(work, source, dest);
    try {
      if (isDirectory) copyDirectory(work, file, source, dest);
      else copyOne(work, file, source, dest);
    } catch (error) {
      if (codeOf(error) !== undefined) work.lines.error(`Unable to merge ${source} with ${dest}`);
      throw error;
    }
  }
}

export function deletePath({ changes, lines }: Work, path: string): void {
  if (changes.tree.lstat(path) === undefined) return;
  lines.info(`Deleting ${path}`);
  changes.remove(path);
}

export function makeParents({ changes }: Work, path: string): void {
  const parent = dirname(path);
  if (parent === '' || changes.tree.stat(parent) === undefined) changes.makeDirectories(parent);
}

/** Rejects copying a directory into itself, which Kolla's tool allows: it would grow until its paths are too long. */
function refuseIntoItself({ changes: { tree } }: Work, source: string, dest: string): void {
  const [from, to] = [tree.find(source, true).path, tree.find(trimmed(dest), true).path];
  if (`${to}/`.startsWith(`${from}/`) && to !== from)
    throw unexpected(`cannot copy to ${dest}: it is inside ${source}, the directory to copy`);
}

function copyDirectory(work: Work, file: ConfigFile, source: string, dest: string): void {
  const { changes, lines } = work;
  naming(`${file.place}.source`, () => changes.checkSource(source, true));
  if (changes.tree.lstat(dest) !== undefined && !changes.tree.isDirectory(dest)) deletePath(work, dest);
  if (!changes.tree.isDirectory(dest)) {
    lines.info(`Creating directory ${dest}`);
    changes.makeDirectories(dest);
  }
  setProperties(work, file, source, dest);
  for (const name of changes.tree.list(source)) {
    const [from, to] = [join(source, name), join(dest, name)];
    if (changes.tree.isDirectory(from)) copyDirectory(work, file, from, to);
    else copyOne(work, file, from, to);
  }
}

function copyOne(work: Work, file: ConfigFile, source: string, dest: string): void {
  const { changes, lines } = work;
  const link = file.merge && file.preserve ? changes.tree.lstat(source) : undefined;
  const staysLink = link?.kind === 'link';
  naming(`${file.place}.source`, () => changes.checkSource(source, !staysLink));
  deletePath(work, dest);
  lines.info(`Copying ${source} to ${dest}`);
  if (staysLink) changes.link(link.target!, dest);
  else setProperties(work, file, source, dest, changes.copyFile(source, dest));
}

/** @param made the object at `dest`, if it was just created */
function setProperties(work: Work, file: ConfigFile, source: string, dest: string, made?: Entry): void {
  if (file.preserve) {
    work.lines.info(`Copying permissions from ${source} onto ${dest}`);
    work.changes.preserve(source, dest);
    return;
  }
  const { uid, gid } = work.owners.idsOf(file.owner, file.place);
  const permission = { uid, gid, perm: file.perm, place: file.place };
  if (made === undefined) setPermission(work, dest, permission);
  else setPermissionOf(work, dest, made, permission);
}
