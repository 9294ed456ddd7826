import type { Stats } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';
import type { FileImage } from '../platform/fs/replace-file.ts';
import type { Ownership } from './owner.ts';
import type { PlanOptions } from './plan.ts';
import { checkPlace, under } from './place.ts';
import type { FileEntry } from './schema.ts';
import type { Match } from './sources.ts';

/** One file or folder to put in place. `entry` is what asked for it: `config_files[0]`. */
export type Step = DirectoryStep | FileStep;

export interface DirectoryStep {
  readonly kind: 'directory';
  readonly entry: string;
  readonly path: string;
  readonly mode: number;
  readonly owner: Ownership;
}

export interface FileStep {
  readonly kind: 'file';
  readonly entry: string;
  readonly path: string;
  readonly image: FileImage;
  /** It is there already, with this content, mode and owner. */
  readonly isRight: boolean;
}

/** The step for one match of an entry. Throws RangeError when its destination can't be. */
export async function copyStep(
  entry: string,
  item: FileEntry,
  match: Match,
  owner: Ownership,
  { root, overlay }: Pick<PlanOptions, 'root' | 'overlay'>,
): Promise<Step> {
  const path = under(root, match.dest);
  const mode = item.preserve_properties ? match.mode : (item.perm ?? match.mode);
  if (match.kind === 'directory') return await directoryStep(entry, path, searchable(mode), owner, root);
  const content = await readFile(match.source);
  const image = { content: overlay?.apply(match.dest, content) ?? content, mode, ...owner };
  const isRight = await isInPlace(path, image);
  await checkPlace(root, path, !isRight);
  return { kind: 'file', entry, path, image, isRight };
}

export async function directoryStep(
  entry: string,
  path: string,
  mode: number,
  owner: Ownership,
  root: string,
): Promise<DirectoryStep> {
  const found = await lookAt(path);
  if (found !== undefined && !found.isDirectory()) throw new RangeError(`${path} is there and is not a folder`);
  await checkPlace(root, path, found === undefined);
  return { kind: 'directory', entry, path, mode, owner };
}

/** A perm is written for files; a folder that can be read must also be entered. */
function searchable(mode: number): number {
  return mode | ((mode & 0o444) >> 2);
}

async function isInPlace(path: string, { content, mode, uid, gid }: FileImage): Promise<boolean> {
  const found = await lookAt(path);
  if (found === undefined || found.isSymbolicLink()) return false;
  if (found.isDirectory()) throw new RangeError(`${path} is a folder; end dest with a slash to put the file into it`);
  if (!found.isFile() || (found.mode & 0o7777) !== mode || found.size !== content.byteLength) return false;
  if ((uid !== -1 && found.uid !== uid) || (gid !== -1 && found.gid !== gid)) return false;
  try {
    return Buffer.compare(await readFile(path), content) === 0;
  } catch (error) {
    // A mode such as 0200 keeps even its owner from comparing.
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return false;
    throw error;
  }
}

async function lookAt(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
