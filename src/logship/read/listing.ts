import { readdirSync, statSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/** A file in a folder, links followed. */
export interface Listed {
  readonly name: string;
  readonly stat: Stats;
}

/** The files in a folder, sorted by name. */
export type Listing = readonly Listed[];

/** Reads a folder, once. */
export type List = (folder: string, isWanted?: (name: string) => boolean) => Listing;

/** Listings in which files still move, before the last one is taken for what it is. */
const MOST_LISTINGS = 20;

/** The files that are in a folder now; none when it is gone. */
export function listed(folder: string, isWanted: (name: string) => boolean = () => true): Listing {
  return namesIn(folder)
    .filter(isWanted)
    .toSorted()
    .flatMap((name) => {
      const stat = statOf(join(folder, name));
      return stat?.isFile() ? [{ name, stat }] : [];
    });
}

/**
 * A folder that is read while files are renamed in it may show one of them nowhere: so it is read until it shows the same
 * twice.
 */
export function settled(read: () => Listing): Listing {
  let found = read();
  for (let nth = 1; nth < MOST_LISTINGS; nth++) {
    const again = read();
    if (isSame(found, again)) break;
    found = again;
  }
  return found;
}

/** Those whose names begin so, however many others there are. */
export function withPrefix(listing: Listing, prefix: string): Listing {
  let [from, to] = [0, listing.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (listing[middle]!.name < prefix) from = middle + 1;
    else to = middle;
  }
  const found: Listed[] = [];
  for (let at = from; at < listing.length; at++) {
    const each = listing[at]!;
    if (!each.name.startsWith(prefix)) break;
    found.push(each);
  }
  return found;
}

/** What stands at a path, links followed; undefined where we can't see anything. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // a folder on the way is gone, or closed to us
  }
}

function isSame(before: Listing, now: Listing): boolean {
  return (
    before.length === now.length &&
    before.every(({ name, stat }, i) => now[i]?.name === name && now[i].stat.ino === stat.ino)
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // it is gone too
  }
}
