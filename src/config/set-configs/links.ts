import { SetConfigsError } from './failure.ts';
import { pathOnDisk, type Entry, type OnDisk } from './entry.ts';
import type { Holder, OnLink, Place } from './tree.ts';

/** A link that a user other than the maker can have put there, on the way to something that is to be changed: exit 1. */
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
 * Which links are followed to what is written, deleted or given away. /var/log/kolla belongs to the group kolla: a service's
 * user can rename its directory there and leave a link to /etc instead, and root would give /etc to that user. So a link
 * counts only if its owner is the maker, or root, and the same holds for every directory that it lies in, from the root that
 * the tool is given: who can write one of them can put another link, or another directory, under the same name.
 */
export function ownLinksOnly(maker: Maker): OnLink {
  return (link, path, holders) => {
    const who = isOwn(maker, link) ? writerOf(maker, holders) : `uid ${link.uid} owns it`;
    if (who !== undefined) throw notFollowed(link, path, who);
  };
}

/**
 * Has a path looked at for reading. Followed are links of the maker, of root, and of whoever owns what they lead to, which he could
 * have put there himself; and those on a volume that no process here can write. Another's could lead to what only root may read.
 * @param find looks at it, and calls back for each link
 * @param isReadOnly whether no process can write the directory that a link lies in
 * @throws ForeignLinkError
 */
export function checkReadable(
  maker: Maker,
  find: (onLink: OnLink) => Place,
  isReadOnly: (handle: Entry) => boolean,
): void {
  const foreign: (readonly [Entry, string])[] = [];
  const { entry } = find((link, path, holders) => {
    if (!isOwn(maker, link) && !isReadOnly(holders.at(-1)!.entry)) foreign.push([link, path]);
  });
  for (const [link, path] of foreign) {
    if (entry === undefined || entry.uid === link.uid) continue;
    throw notFollowed(link, path, `uid ${link.uid} owns it`, 'mount its directory read-only');
  }
}

/**
 * Why a file must not be given to that user: it is another's, it has other names, and who can write here can have made this one
 * of a file that is none of his.
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

/** Who but the maker can put something else in a directory's place, from the root down. */
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

/** Has a refused link say which entry of the configuration leads through it. */
export function naming<T>(place: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    // One that names its entry already goes on as it is.
    if (!(cause instanceof ForeignLinkError) || cause.cause !== undefined) throw cause;
    throw new ForeignLinkError(`${place}: ${cause.message}`, { cause });
  }
}
