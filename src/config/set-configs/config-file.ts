import { trimmed } from './changes.ts';
import { SetConfigsError, unexpected } from './failure.ts';
import { globIn } from './glob.ts';
import { naming } from './links.ts';
import { setPermission } from './permissions.ts';
import { basename, dirname, isTrue, join, text, type Mapping } from './python.ts';
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

/** Throws exit 2 for a key that Kolla doesn't have, and for a source or dest that is no string. */
export function configFile(entry: Mapping, place: string): ConfigFile {
  const stray = Object.keys(entry).find((key) => !KEYS.has(key));
  if (stray !== undefined) throw unexpected(`${place}.${stray}: there is no such key`);
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

/** Its sources and where each of them goes. Throws exit 1 when there are none and it is not optional. */
export function matchesOf({ changes }: Pick<Work, 'changes'>, file: ConfigFile): [source: string, dest: string][] {
  const sources = globIn(changes.tree, file.source);
  if (sources.length === 0 && !file.optional)
    throw new SetConfigsError('MissingRequiredSource', `${file.source} file is not found`);
  return sources.map((source) => [source, file.dest.endsWith('/') ? join(file.dest, basename(source)) : file.dest]);
}

/** Copies every source of the entry to its place. */
export function copyConfigFile(work: Work, file: ConfigFile): void {
  for (const [source, dest] of matchesOf(work, file)) {
    if (!file.merge) deletePath(work, dest);
    makeParents(work, dest);
    refuseIntoItself(work, source, dest);
    try {
      copyInto(work, file, source, dest);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== undefined)
        work.lines.error(`Unable to merge ${source} with ${dest}`);
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
  if (parent === '' || changes.tree.stat(parent) === undefined) changes.makeFolders(parent);
}

/** Copied into itself, a folder would grow until its paths are too long; Kolla's tool does let it. */
function refuseIntoItself({ changes: { tree } }: Work, source: string, dest: string): void {
  const from = tree.find(source, true);
  if (from.entry?.kind !== 'directory') return;
  const to = tree.find(trimmed(dest), true);
  if (`${to.path}/`.startsWith(`${from.path}/`) && to.path !== from.path)
    throw unexpected(`${dest} can't be copied to: it is in ${source}, which is what is to be copied`);
}

function copyInto(work: Work, file: ConfigFile, source: string, dest: string): void {
  const { changes, lines } = work;
  if (!changes.tree.isDirectory(source)) {
    copyOne(work, file, source, dest);
    return;
  }
  naming(`${file.place}.source`, () => changes.checkSource(source, true));
  if (changes.tree.lstat(dest) !== undefined && !changes.tree.isDirectory(dest)) deletePath(work, dest);
  if (!changes.tree.isDirectory(dest)) {
    lines.info(`Creating directory ${dest}`);
    changes.makeFolders(dest);
  }
  setProperties(work, file, source, dest);
  for (const name of changes.tree.list(source)) copyInto(work, file, join(source, name), join(dest, name));
}

function copyOne(work: Work, file: ConfigFile, source: string, dest: string): void {
  const { changes, lines } = work;
  const link = changes.tree.lstat(source);
  const staysLink = file.merge && file.preserve && link?.kind === 'link';
  naming(`${file.place}.source`, () => changes.checkSource(source, !staysLink));
  deletePath(work, dest);
  lines.info(`Copying ${source} to ${dest}`);
  if (staysLink) changes.link(link.target!, dest);
  else {
    changes.copyFile(source, dest);
    setProperties(work, file, source, dest);
  }
}

function setProperties(work: Work, file: ConfigFile, source: string, dest: string): void {
  if (file.preserve) {
    work.lines.info(`Copying permissions from ${source} onto ${dest}`);
    work.changes.preserve(source, dest);
    return;
  }
  const [uid, gid] = work.owners.idsOf(file.owner, `${file.place}.owner`);
  setPermission(work, dest, { uid, gid, perm: file.perm, place: file.place });
}
