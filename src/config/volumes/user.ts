import { basename } from 'node:path';
import { didYouMean } from '../../core/nearest.ts';
import type { Accounts, Identity } from '../owner.ts';
import type { Document } from '../read/schema.ts';
import { KOLLA_GID } from '../../catalog/kolla-users.ts';
import { trimmed } from '../python/values.ts';
import { LOG_DIRECTORY } from './layout.ts';

/** The user of the Pod. */
export interface PodUser extends Identity {
  readonly name: string | undefined;
  /** Groups of entries in addition to the user's own group and kolla. */
  readonly supplementalGroups: readonly number[];
}

interface Choice {
  readonly user: PodUser | undefined;
  /** Why there is no user, and the fix. */
  readonly problem: string | undefined;
}

/**
 * The requested user; else the most frequent owner of entries; else, if there is none or only root, the user named as
 * the command's program. The shared log directory's owner does not count.
 */
export function choosePodUser(document: Document, accounts: Accounts, asked: string | undefined): Choice {
  const owners = ownersIn(document);
  if (asked !== undefined) return userOf(asked, owners, accounts);
  const own = ownersIn(withoutLogs(document));
  const named = mostFrequent(own.map((owner) => owner.split(':')[0] ?? '').filter((name) => name !== 'root'));
  if (named !== undefined) return userOf(named, owners, accounts);
  const program = basename(document.command.trim().split(/\s+/)[0] ?? '');
  if (program !== 'root' && accounts.users.has(program)) return userOf(program, owners, accounts);
  const whom = owners.length === 0 ? 'no owner' : 'no owner but root';
  const besides =
    own.length === owners.length ? '' : ` (that of ${LOG_DIRECTORY}, which all containers share, does not count)`;
  return none(`config.json names ${whom}${besides}, so the Pod's user is unknown; pass --user NAME`);
}

function withoutLogs({ directories, permissions, ...rest }: Document): Document {
  const isOwn = ({ path }: { readonly path: string }) => trimmed(path) !== LOG_DIRECTORY;
  return { ...rest, directories: directories.filter(isOwn), permissions: permissions.filter(isOwn) };
}

/** All owners in config.json, one per entry. */
function ownersIn({ config_files, directories, files, permissions }: Document): string[] {
  const copied = config_files.filter((item) => !item.preserve_properties);
  return [...copied, ...directories, ...files, ...permissions].flatMap(({ owner }) => owner ?? []);
}

function userOf(text: string, owners: readonly string[], accounts: Accounts): Choice {
  const numbers = /^(\d+)(?::(\d+))?$/.exec(text);
  const uid = numbers === null ? accounts.users.get(text) : Number(numbers[1]);
  if (uid === undefined)
    return none(
      `no user '${text}' in the image (Kolla's own users unless --image is given): pass --image DIR or --user UID${didYouMean(text, accounts.users.keys())}`,
    );
  if (uid === 0)
    return none(`${text} is root, which a Pod under \`restricted\` can't run as; pass another --user NAME`);
  const name = numbers === null ? text : [...accounts.users].find(([, id]) => id === uid)?.[0];
  // Kolla's users and groups share their names; otherwise the group has the user's number.
  const gid = numbers?.[2] === undefined ? (accounts.groups.get(name ?? '') ?? uid) : Number(numbers[2]);
  const explicit = owners.flatMap((owner) => accounts.groups.get(owner.split(':')[1] ?? '') ?? []);
  const others = new Set(explicit.filter((id) => ![0, gid, KOLLA_GID].includes(id)));
  const supplementalGroups = [...others].toSorted((a, b) => a - b);
  return {
    user: { name, uid, gid, groups: [gid, KOLLA_GID, ...supplementalGroups], supplementalGroups },
    problem: undefined,
  };
}

function none(problem: string): Choice {
  return { user: undefined, problem };
}

/** If several are equally frequent, the first one. */
function mostFrequent(names: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0];
}
