import { isReadOnlyMount } from '../../fs/mount-points.ts';
import { SetConfigsError } from '../failure/failure.ts';
import { pathOnDisk, type Entry, type OnDisk } from './entry.ts';
import type { Holder, OnLink, ResolvedPath, Tree } from './tree.ts';

/** A link that a user other than the maker may have created, in a path to be changed: exit code 1. */
export class ForeignLinkError extends SetConfigsError {
  override name = 'ForeignLinkError';

  constructor(message: string, options?: ErrorOptions) {
    super('InvalidConfig', message, options);
  }
}

interface Maker {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Decides which links are followed for writing, deleting and chown. /var/log/kolla belongs to the group kolla: a
 * service's user could replace its directory there with a link to /etc, and root would chown /etc to that user. So a
 * link is followed only if it and all its parent directories, down from the tool's root, are owned by the maker or
 * root: whoever can write to one of them can replace the link or directory.
 */
export function ownLinksOnly(maker: Maker): OnLink {
  return (link, path, holders) => {
    const who = isOwn(maker, link) ? writerOf(maker, holders) : `uid ${link.uid} owns it`;
    if (who !== undefined) throw notFollowed(link, path, who);
  };
}

/**
 * Resolves a path for reading. Follows links owned by the maker, by root, or by the owner of their target, who could
 * have placed the target there as well; and links on a volume that no process here can write to. Another user's link
 * could lead to a file readable only by root.
 * @throws ForeignLinkError
 */
export function findReadable(maker: Maker, tree: Tree, path: string, follow: boolean): ResolvedPath {
  const foreign: (readonly [Entry, string])[] = [];
  const place = tree.find(path, follow, (link, at, holders) => {
    if (!isOwn(maker, link) && !isReadOnly(tree, holders.at(-1)!.entry)) foreign.push([link, at]);
  });
  for (const [link, at] of foreign) {
    if (place.entry === undefined || place.entry.uid === link.uid) continue;
    throw notFollowed(link, at, `uid ${link.uid} owns it`, 'mount its directory read-only');
  }
  return place;
}

function isReadOnly(tree: Tree, directory: Entry): boolean {
  return directory.onDisk !== undefined && isReadOnlyMount(tree.held(directory).fd);
}

/**
 * Why a file must not be chowned to that user: it belongs to another user, has several hard links, and a user with
 * write access to the directory may have created this one.
 */
export function foreignName(maker: Maker, { kind, uid: owner, onDisk }: Entry, uid: number): string | undefined {
  if (onDisk === undefined || kind === 'directory' || onDisk.stats.nlink < 2 || owner === uid) return undefined;
  const who = writerOf(maker, holdersOf(onDisk));
  const fix = 'and could have made it of any file; remove it';
  return (
    who && `${pathOnDisk(onDisk)} is one of ${onDisk.stats.nlink} names of a file and is not given away: ${who}, ${fix}`
  );
}

function holdersOf({ parent }: OnDisk): Holder[] {
  return parent === undefined
    ? []
    : [...holdersOf(parent.onDisk!), { path: pathOnDisk(parent.onDisk!), entry: parent }];
}

function isOwn({ uid }: Maker, entry: Entry): boolean {
  return entry.uid === 0 || entry.uid === uid;
}

/** The user other than the maker who can replace the directory or one of its parents. */
function writerOf(maker: Maker, holders: readonly Holder[]): string | undefined {
  for (const { path, entry } of holders) {
    if (!isOwn(maker, entry)) return `uid ${entry.uid} owns ${path}`;
    if ((entry.mode & 0o002) !== 0) return `every user can write ${path}`;
    if ((entry.mode & 0o020) !== 0 && entry.gid !== 0 && entry.gid !== maker.gid)
      return `gid ${entry.gid} can write ${path}`;
  }
  return undefined;
}

function notFollowed(link: Entry, path: string, who: string, otherwise?: string): ForeignLinkError {
  const fixes = ['remove it', ...(otherwise === undefined ? [] : [otherwise]), 'or name the path that it leads to'];
  return new ForeignLinkError(
    `${path} is a link to ${link.target} and is not followed: ${who}, and could have it lead anywhere; ${fixes.join(', ')}`,
  );
}

/** Adds the entry of the configuration to the error about a rejected link. */
export function naming<T>(place: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    // An error that already names its entry is kept.
    if (!(cause instanceof ForeignLinkError) || cause.cause !== undefined) throw cause;
    throw new ForeignLinkError(`${place}: ${cause.message}`, { cause });
  }
}
