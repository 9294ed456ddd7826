import { idsIn, type Accounts } from '../owner.ts';
import { unexpected } from './failure.ts';
import { text } from './python.ts';
import type { Tree } from './tree.ts';

/** Names of an owner as config.json writes it: `user`, `user:group`, `user:`. Throws exit 2 for what is no string. */
export function userAndGroup(owner: unknown, place: string): [user: string, group: string] {
  const word = text(owner, place);
  const colon = word.indexOf(':');
  if (colon === -1) return [word, word];
  const user = word.slice(0, colon);
  return [user, word.slice(colon + 1) || user];
}

export interface Ids {
  readonly uid: number;
  readonly gid: number;
}

/** The image's users and groups by name and by number. */
export class Owners {
  readonly #accounts: Accounts;
  /** By what config.json writes: most entries have the same. */
  readonly #ids = new Map<unknown, Ids>();

  constructor(accounts: Accounts) {
    this.#accounts = accounts;
  }

  /** Throws the system's error for an /etc/passwd or /etc/group that can't be read; one that is absent names no user. */
  static of(tree: Tree): Owners {
    const ids = (file: string) => (tree.stat(file) === undefined ? new Map() : idsIn(tree.read(file).toString()));
    return new Owners({ users: ids('/etc/passwd'), groups: ids('/etc/group') });
  }

  /** Names only, as with Kolla. Throws exit 2 for a user or group that the image does not have. @param entry whose `owner` it is */
  idsOf(owner: unknown, entry: string): Ids {
    const known = this.#ids.get(owner);
    if (known !== undefined) return known;
    const place = `${entry}.owner`;
    const [user, group] = userAndGroup(owner, place);
    const uid = this.#accounts.users.get(user);
    if (uid === undefined) throw unexpected(`${place}: there is no user '${user}' in /etc/passwd`);
    const gid = this.#accounts.groups.get(group);
    if (gid === undefined) throw unexpected(`${place}: there is no group '${group}' in /etc/group`);
    const ids = { uid, gid };
    this.#ids.set(owner, ids);
    return ids;
  }

  /** The name that /etc/passwd has for it, or the number where it has none. */
  userName(uid: number): string {
    return nameOf(this.#accounts.users, uid);
  }

  groupName(gid: number): string {
    return nameOf(this.#accounts.groups, gid);
  }
}

function nameOf(ids: ReadonlyMap<string, number>, id: number): string {
  for (const [name, known] of ids) if (known === id) return name;
  return String(id);
}
