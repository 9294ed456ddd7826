import type { Stats } from 'node:fs';
import type { Content } from '../../fs/content.ts';

export type Kind = 'directory' | 'file' | 'link' | 'special';

/** One thing in the tree, as it is on disk or as it shall be. */
export interface Entry {
  readonly kind: Kind;
  mode: number;
  uid: number;
  gid: number;
  /** Undefined for what is yet to be made. */
  onDisk: OnDisk | undefined;
  /** Of a file that is yet to be made. */
  readonly content: Content | undefined;
  /** Of a link. */
  readonly target: string | undefined;
  /** Of what is yet to be made; undefined where the time doesn't matter. */
  times: Times | undefined;
  /** Owner or mode differ from what is on disk. */
  touched: boolean;
  /** What was looked at so far, and all of it when there is nothing on disk. Undefined means absent. */
  readonly children: Map<string, Entry | undefined>;
}

/** Seconds since 1970. */
export interface Times {
  readonly atime: number;
  readonly mtime: number;
}

/** The very thing that was looked at: what takes its name, or the name of a directory above it, is another. */
export interface OnDisk {
  /** Undefined for the root. */
  readonly parent: Entry | undefined;
  readonly name: string;
  readonly stats: Stats;
}

/** In the root, for messages. */
export function pathOnDisk({ parent, name }: OnDisk): string {
  if (parent === undefined) return '/';
  const above = pathOnDisk(parent.onDisk!);
  return above === '/' ? `/${name}` : `${above}/${name}`;
}

/** Whether it is the very thing that was looked at. */
export function isOf({ stats }: Pick<OnDisk, 'stats'>, now: Stats): boolean {
  return stats.dev === now.dev && stats.ino === now.ino;
}

/** Of what is no directory. */
const NO_CHILDREN = new Map<string, Entry | undefined>();

/** What is yet to be made, or is on disk. Without a name for each argument, which is what most of the engine's time would go into. */
export function newEntry(
  kind: Kind,
  mode: number,
  uid: number,
  gid: number,
  content?: Content,
  target?: string,
  onDisk?: OnDisk,
): Entry {
  const children = kind === 'directory' ? new Map<string, Entry | undefined>() : NO_CHILDREN;
  return { kind, mode, uid, gid, onDisk, content, target, times: undefined, touched: false, children };
}

/** As they are on disk, or shall be. */
export function timesOf({ times, onDisk }: Entry): Times | undefined {
  return onDisk === undefined ? times : { atime: onDisk.stats.atimeMs / 1000, mtime: onDisk.stats.mtimeMs / 1000 };
}

/** What a look at the disk found. */
export function seen(onDisk: OnDisk, target?: string): Entry {
  const { stats } = onDisk;
  return newEntry(kindOf(stats), stats.mode & 0o7777, stats.uid, stats.gid, undefined, target, onDisk);
}

function kindOf(stats: Stats): Kind {
  if (stats.isDirectory()) return 'directory';
  if (stats.isFile()) return 'file';
  return stats.isSymbolicLink() ? 'link' : 'special';
}
