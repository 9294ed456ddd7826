import { SetConfigsError } from './failure.ts';
import type { Entry, OnLink } from './tree.ts';

/** A link that a user other than the maker can have put there, on the way to something that is to be changed: exit 1. */
export class ForeignLinkError extends SetConfigsError {
  override name = 'ForeignLinkError';

  constructor(message: string, options?: ErrorOptions) {
    super('InvalidConfig', message, options);
  }
}

/**
 * Which links are followed to what is written, deleted or given away. /var/log/kolla belongs to the group kolla: a service's
 * user can rename its directory there and leave a link to /etc instead, and root would give /etc to that user. So a link
 * counts only if its owner is the maker, or root, and the same holds for every directory that it lies in, from the root that
 * the tool is given: who can write one of them can put another link, or another directory, under the same name.
 */
export function ownLinksOnly({ uid, gid }: { readonly uid: number; readonly gid: number }): OnLink {
  const isOwn = (entry: Entry) => entry.uid === 0 || entry.uid === uid;
  const writers = (path: string, entry: Entry) => {
    if (!isOwn(entry)) return `uid ${entry.uid} owns ${path}`;
    if ((entry.mode & 0o002) !== 0) return `every user can write ${path}`;
    const isShared = (entry.mode & 0o020) !== 0 && entry.gid !== 0 && entry.gid !== gid;
    return isShared ? `gid ${entry.gid} can write ${path}` : undefined;
  };
  return (link, path, holders) => {
    const who = isOwn(link)
      ? holders.map((holder) => writers(holder.path, holder.entry)).find((found) => found !== undefined)
      : `uid ${link.uid} owns it`;
    if (who === undefined) return;
    throw new ForeignLinkError(
      `${path} is a link to ${link.target} and is not followed: ${who}, and could have it lead anywhere; ` +
        `remove it, or name the path that it leads to`,
    );
  };
}

/** Has a refused link say which entry of the configuration leads through it. */
export function naming<T>(place: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    if (!(cause instanceof ForeignLinkError)) throw cause;
    throw new ForeignLinkError(`${place}: ${cause.message}`, { cause });
  }
}
