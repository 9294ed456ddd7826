import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, ConfigError, reasonOf } from '../core/errors.ts';
import { suggestion } from '../core/nearest.ts';
import { accountLines } from '../fs/accounts.ts';

/** The IDs of this process, as the kernel sees them. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

/** How an owner is satisfied. Without root, files can't be chowned, so only the first way is exact. */
export type OwnerRule = 'given' | 'my user' | 'my group' | 'in the place of root' | 'readable by all' | 'as the source';

export interface Ownership {
  /** Arguments of chown; -1 keeps an ID. */
  readonly uid: number;
  readonly gid: number;
  readonly rule: OwnerRule;
  /** The wanted owner, the limitation and the fix, if the mode makes the owner impossible. */
  readonly refusal?: string;
}

export interface Accounts {
  readonly users: ReadonlyMap<string, number>;
  readonly groups: ReadonlyMap<string, number>;
}

/**
 * Reads etc/passwd and etc/group below `root`, or the image's own if they are missing (a volume). Throws ConfigError if
 * they are unreadable.
 */
export function readAccounts(root: string, image = '/'): Accounts {
  return { users: readIds(root, 'passwd', image), groups: readIds(root, 'group', image) };
}

function readIds(root: string, name: string, image: string): Map<string, number> {
  const file = join(root, 'etc', name);
  try {
    return idsIn(readFileSync(file, 'utf8'));
  } catch (cause) {
    const absent = codeOf(cause) === 'ENOENT';
    if (absent && root !== image) return readIds(image, name, image);
    if (absent) return new Map();
    throw new ConfigError(`cannot read ${file}: ${reasonOf(cause)}`, { cause });
  }
}

/** The names in an owner of config.json: `user`, `user:group`, `user:`. */
export function userAndGroup(owner: string): [user: string, group: string] {
  const colon = owner.indexOf(':');
  if (colon === -1) return [owner, owner];
  const user = owner.slice(0, colon);
  return [user, owner.slice(colon + 1) || user];
}

/** Maps the names in a text such as /etc/passwd to their IDs. */
export function idsIn(text: string): Map<string, number> {
  const ids = new Map<string, number>();
  for (const [account = '', , id = ''] of accountLines(text)) {
    // If two lines have the same name, the first one applies, as in getpwnam.
    if (/^\d+$/.test(id) && !ids.has(account)) ids.set(account, Number(id));
  }
  return ids;
}

/**
 * The chown arguments for an owner in config.json: `user`, `user:group`, `user:`; names only, and the default group is
 * the one with the user's name. Throws RangeError for a name unknown to the image.
 *
 * Without root an owner is satisfied if it is the running uid or one of its groups. The uid also stands in for root,
 * which a container without root cannot provide. A file of another user can be ours only if it is world-readable; see
 * modeFor.
 */
export function ownershipFor(owner: string, accounts: Accounts, me: Identity): Ownership {
  const [user, group] = userAndGroup(owner);
  const uid = idOf('user', user, accounts.users, owner);
  const gid = idOf('group', group, accounts.groups, owner);
  if (me.uid === 0) return { uid, gid, rule: 'given' };
  const isMyGroup = gid === me.gid || me.groups.includes(gid);
  if (uid === me.uid) return { uid: -1, gid: isMyGroup ? gid : me.gid, rule: 'my user' };
  if (isMyGroup) return { uid: -1, gid, rule: 'my group' };
  if (uid === 0) return { uid: -1, gid: me.gid, rule: 'in the place of root' };
  const refusal =
    `'${owner}' is ${uid}:${gid}, but this runs as ${me.uid}:${me.gid} and cannot chown to another user; ` +
    `run it with runAsUser: ${uid} and runAsGroup: ${gid}, name an owner with that user or group, or let all read it (perm "0644")`;
  return { uid: -1, gid: me.gid, rule: 'readable by all', refusal };
}

/**
 * A mode that is no wider than requested: if our group replaces the owner, it gets the permissions of others, and
 * set-id bits are dropped. Throws RangeError for another user's file that only its owner may read; undefined keeps the
 * mode.
 */
export function modeFor<M extends number | undefined>({ rule, refusal }: Ownership, mode: M): M {
  if (rule === 'readable by all' && ((mode ?? 0) & 0o004) === 0) throw new RangeError(refusal);
  const isInAnothersPlace = rule === 'readable by all' || rule === 'in the place of root';
  if (mode === undefined || !isInAnothersPlace) return mode;
  return ((mode & 0o1707) | (mode & ((mode & 0o007) << 3))) as M;
}

function idOf(kind: 'user' | 'group', name: string, known: ReadonlyMap<string, number>, owner: string): number {
  const id = known.get(name);
  if (id !== undefined) return id;
  const file = kind === 'user' ? '/etc/passwd' : '/etc/group';
  if (/^\d*$/.test(name)) throw new RangeError(`'${owner}' has no ${kind} name; write the name as in ${file}`);
  const near =
    suggestion(name, nearOnly(name, known)) ||
    ": run in the service's image, or plan with --image DIR or --user UID, or copy the image's etc/passwd and etc/group into --root";
  throw new RangeError(`no ${kind} '${name}' in ${file}${near}`);
}

/**
 * All names if one of them is close to this one, else none: a list of all accounts of an image would hide the message.
 */
function nearOnly(name: string, known: ReadonlyMap<string, number>): string[] {
  const all = [...known.keys()];
  return suggestion(name, all).startsWith('; did you mean') ? all : [];
}
