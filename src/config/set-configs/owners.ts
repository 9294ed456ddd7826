import { idsIn, userAndGroup, type Accounts } from '../owner.ts';
import { unexpected } from '../failure/failure.ts';
import { text } from '../python/values.ts';
import type { Tree } from '../tree/tree.ts';

export interface Ids {
  readonly uid: number;
  readonly gid: number;
}

/** The image's users and groups by name and by number. */
export class Owners {
  readonly #accounts: Accounts;
  /** Cache by the text in config.json, since most entries have the same owner. */
  readonly #ids = new Map<unknown, Ids>();

  constructor(accounts: Accounts) {
    this.#accounts = accounts;
  }

  /** Throws the system's error if /etc/passwd or /etc/group is unreadable; a missing file counts as empty. */
  static of(tree: Tree): Owners {
    const ids = (file: string) => (tree.stat(file) === undefined ? new Map() : idsIn(tree.read(file).toString()));
    return new Owners({ users: ids('/etc/passwd'), groups: ids('/etc/group') });
  }

  /**
   * The IDs of an owner, which must be given by name, as in Kolla. Throws exit code 2 for a user or group unknown to
   * the image.
   * @param entry entry that contains the owner
   */
  idsOf(owner: unknown, entry: string): Ids {
    const known = this.#ids.get(owner);
    if (known !== undefined) return known;
    const place = `${entry}.owner`;
    const [user, group] = userAndGroup(text(owner, place));
    const uid = this.#accounts.users.get(user);
    if (uid === undefined) throw unexpected(`${place}: there is no user '${user}' in /etc/passwd`);
    const gid = this.#accounts.groups.get(group);
    if (gid === undefined) throw unexpected(`${place}: there is no group '${group}' in /etc/group`);
    const ids = { uid, gid };
    this.#ids.set(owner, ids);
    return ids;
  }

  /** The name in /etc/passwd; if there is none, the number. */
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
