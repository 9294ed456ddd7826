import { messageOf } from '../../core/errors.ts';
import { modeFor, ownershipFor, type Accounts, type OwnerRule } from '../owner.ts';
import type { Document } from '../schema.ts';
import type { Tree } from '../set-configs/tree.ts';
import type { Layout, Place } from './layout.ts';
import { whyNotReached } from './reach.ts';
import type { PodUser } from './user.ts';

/** How one entry of config.json comes true without root, or why it can't. */
export interface EntryPlan {
  readonly entry: string;
  /** Its destination, as config.json writes it. */
  readonly path: string;
  /** The mounts that it needs; none where the image's own path serves. */
  readonly mounts: readonly string[];
  readonly owner: string | undefined;
  /** Why the owner is satisfied. */
  readonly ownerIs: OwnerRule | undefined;
  /** Octal, as it will be; undefined: as the source's. */
  readonly mode: string | undefined;
  readonly reload: 'live' | 'restart' | undefined;
  readonly seed: boolean | undefined;
  /** Why it can't be satisfied, and the fix. */
  readonly problem: string | undefined;
}

/**
 * Every entry in the order of config.json's sections. The owners' names must be known: see `unknownOwners`.
 * @param image undefined where it is unknown
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

/** What is wrong with the owners that entries name, each with its entry: names that the image doesn't have. */
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
  mounts: readonly Place[],
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

/** @param keepsMode whether an entry without a mode has its source's, which only the source can tell */
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
    return { owner, ownerIs: ownership.rule, mode: octal(mode), problem: undefined };
  } catch (error) {
    return { owner, ownerIs: undefined, mode: octal(asked), problem: messageOf(error) };
  }
}

function octal(mode: number | undefined): string | undefined {
  return mode?.toString(8).padStart(4, '0');
}
