import { basename, dirname } from 'node:path';
import { settled, type List, type Listing } from './listing.ts';
import { siblingsIn, type Sibling } from './siblings.ts';

/** What rotation may have made of the file at a path, the oldest first. */
export type Beside = (path: string) => readonly Sibling[];

/** Beside each path as it is whenever it is asked for. */
export function besideOne(list: List): Beside {
  return (path) => {
    const name = basename(path);
    return siblingsIn(
      settled(() => list(dirname(path), (other) => other.startsWith(name))),
      path,
    );
  };
}

/** Beside many paths: each folder as it is when it is first asked for, so that it is listed once for all its files. */
export function besideMany(list: List): Beside {
  const listings = new Map<string, Listing>();
  return (path) => {
    const folder = dirname(path);
    const listing = listings.get(folder) ?? settled(() => list(folder));
    listings.set(folder, listing);
    return siblingsIn(listing, path);
  };
}
