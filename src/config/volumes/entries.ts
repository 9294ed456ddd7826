import { messageOf } from '../../core/errors.ts';
import { octal } from '../tree/access.ts';
import { modeFor, ownershipFor, type Accounts, type OwnerRule } from '../owner.ts';
import type { Document } from '../read/schema.ts';
import type { Tree } from '../tree/tree.ts';
import type { Layout, PlannedMount } from './layout.ts';
import { whyNotReached } from './reach.ts';
import type { PodUser } from './user.ts';

/** How an entry of config.json is satisfied without root, or why it cannot be. */
export interface EntryPlan {
  readonly entry: string;
  /** The entry's destination, as in config.json. */
  readonly path: string;
  /** The mounts that the entry needs; none if the image's path is sufficient. */
  readonly mounts: readonly string[];
  readonly owner: string | undefined;
  /** How the owner is satisfied. */
  readonly ownerIs: OwnerRule | undefined;
  /** The resulting mode in octal; undefined if it is the source's mode. */
  readonly mode: string | undefined;
  readonly reload: 'live' | 'restart' | undefined;
  readonly seed: boolean | undefined;
  /** Why the entry cannot be satisfied, and the fix. */
  readonly problem: string | undefined;
}

/**
 * All entries in the order of config.json's sections. Owner names must be known: see `unknownOwners`.
 * @param image undefined if unknown
 */
export function explainEntries(
  { config_files, directories, files, permissions }: Document,
  { places }: Layout,
  accounts: Accounts,
  user: PodUser,
  image: Tree | undefined,
): EntryPlan[] {
  const explain = (section: string) => (item: Item & { readonly path: string }, i: number) => {
    const entry = `${section}[${i}]`;
    const mounts = places.filter((place) => place.entries.includes(entry));
    const owned = ownerOf(item, section === 'config_files', accounts, user);
    const problem = owned.problem ?? mounts.map((mount) => whyNotReached(mount.path, image, user)).find(Boolean);
    return { entry, ...whereOf(item, mounts), ...owned, problem };
  };
  return [
    ...config_files.map(({ dest, ...item }) => ({ ...item, path: dest })).map(explain('config_files')),
    ...directories.map(explain('directories')),
    ...files.map(explain('files')),
    ...permissions.map(explain('permissions')),
  ];
}

/** Problems with the owners of entries: names unknown to the image. */
export function unknownOwners(document: Document, accounts: Accounts, user: PodUser): string[] {
  const sections = ['config_files', 'directories', 'files', 'permissions'] as const;
  return sections.flatMap((section) =>
    document[section].flatMap((item: Item, i) => {
      if (item.preserve_properties === true || item.owner === undefined) return [];
      try {
        ownershipFor(item.owner, accounts, user);
        return [];
      } catch (error) {
        return [`${section}[${i}].owner: ${messageOf(error)}`];
      }
    }),
  );
}

interface Item {
  readonly owner?: string | undefined;
  readonly perm?: number | null | undefined;
  readonly preserve_properties?: boolean;
}

function whereOf(
  { path }: { readonly path: string },
  mounts: readonly PlannedMount[],
): Pick<EntryPlan, 'path' | 'mounts' | 'reload' | 'seed'> {
  const restart = mounts.some(({ reload }) => reload === 'restart');
  return {
    path,
    mounts: mounts.map((mount) => mount.path),
    reload: mounts.length === 0 ? undefined : restart ? 'restart' : 'live',
    seed:
      mounts.some(({ seed }) => seed === true) || (mounts.some(({ seed }) => seed === undefined) ? undefined : false),
  };
}

/**
 * @param keepsMode whether an entry without a mode keeps its source's
 */
function ownerOf(
  { owner, perm, preserve_properties: preserved }: Item,
  keepsMode: boolean,
  accounts: Accounts,
  user: PodUser,
): Pick<EntryPlan, 'owner' | 'ownerIs' | 'mode' | 'problem'> {
  if (preserved === true || owner === undefined)
    return { owner: undefined, ownerIs: 'as the source', mode: undefined, problem: undefined };
  const asked = perm ?? undefined;
  try {
    const ownership = ownershipFor(owner, accounts, user);
    const mode = asked === undefined && keepsMode ? undefined : modeFor(ownership, asked);
    return { owner, ownerIs: ownership.rule, mode: mode === undefined ? undefined : octal(mode), problem: undefined };
  } catch (error) {
    return {
      owner,
      ownerIs: undefined,
      mode: asked === undefined ? undefined : octal(asked),
      problem: messageOf(error),
    };
  }
}
