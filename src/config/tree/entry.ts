import type { Stats } from 'node:fs';
import type { Content } from '../../fs/content.ts';

export type Kind = 'directory' | 'file' | 'link' | 'special';

/** An object in the tree, on disk or planned. */
export interface Entry {
  readonly kind: Kind;
  mode: number;
  uid: number;
  gid: number;
  /** Undefined if the object is only planned. */
  onDisk: OnDisk | undefined;
  /** The content of a planned file. */
  readonly content: Content | undefined;
  /** Target of a link. */
  readonly target: string | undefined;
  /** The time of a planned object; undefined if it is irrelevant. */
  times: Times | undefined;
  /** Set if owner or mode differ from the disk. */
  touched: boolean;
  /** Set if the owner is the source's, without which Kolla's tool fails. */
  isPreserved: boolean;
  /** The children that were read so far, or all of them if nothing is on disk. Undefined means missing. */
  readonly children: Map<string, Entry | undefined>;
}

/** Time in seconds since the epoch. */
export interface Times {
  readonly atime: number;
  readonly mtime: number;
}

/**
 * Identity of the examined object. A replacement under the same name, or below a replaced parent, is another object.
 */
export interface OnDisk {
  /** The parent; undefined for the root. */
  readonly parent: Entry | undefined;
  readonly name: string;
  readonly stats: Stats;
}

/** The path relative to the root, for messages. */
export function pathOnDisk({ parent, name }: OnDisk): string {
  if (parent === undefined) return '/';
  const above = pathOnDisk(parent.onDisk!);
  return above === '/' ? `/${name}` : `${above}/${name}`;
}

/** Whether both are the same object. */
export function isOf({ stats }: Pick<OnDisk, 'stats'>, now: Stats): boolean {
  return stats.dev === now.dev && stats.ino === now.ino;
}

/** The children of all objects other than directories: none. */
const NO_CHILDREN = new Map<string, Entry | undefined>();

/**
 * An object that is planned or on disk. It has positional arguments, because object literals would dominate the run
 * time of the engine.
 */
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
  return {
    kind,
    mode,
    uid,
    gid,
    onDisk,
    content,
    target,
    times: undefined,
    touched: false,
    isPreserved: false,
    children,
  };
}

/** The times of the object on disk, or else those of the planned one. */
export function timesOf({ times, onDisk }: Entry): Times | undefined {
  return onDisk === undefined ? times : { atime: onDisk.stats.atimeMs / 1000, mtime: onDisk.stats.mtimeMs / 1000 };
}

/** An object that was read from disk. */
export function seen(onDisk: OnDisk, target?: string): Entry {
  const { stats } = onDisk;
  return newEntry(kindOf(stats), stats.mode & 0o7777, stats.uid, stats.gid, undefined, target, onDisk);
}

function kindOf(stats: Stats): Kind {
  if (stats.isDirectory()) return 'directory';
  if (stats.isFile()) return 'file';
  return stats.isSymbolicLink() ? 'link' : 'special';
}
