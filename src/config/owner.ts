import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, messageOf } from '../cli/errors.ts';
import { suggestion } from '../cli/nearest.ts';

/** Who we are, as the kernel sees it. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

/** What chown is given; -1 leaves that half as it is. */
export interface Ownership {
  readonly uid: number;
  readonly gid: number;
}

export interface Accounts {
  readonly users: ReadonlyMap<string, number>;
  readonly groups: ReadonlyMap<string, number>;
}

/**
 * Reads etc/passwd and etc/group under `root`; where a root has none (a volume), the image's own. Throws ConfigError
 * when they can't be read.
 */
export async function readAccounts(root: string): Promise<Accounts> {
  const [users, groups] = await Promise.all(['passwd', 'group'].map((name) => readIds(root, name)));
  return { users: users ?? new Map(), groups: groups ?? new Map() };
}

async function readIds(root: string, name: string): Promise<Map<string, number>> {
  const file = join(root, 'etc', name);
  try {
    const lines = (await readFile(file, 'utf8')).split('\n').map((line) => line.split(':'));
    const ids = lines.flatMap(([account = '', , id = '']) =>
      /^\d+$/.test(id) ? [[account, Number(id)] as const] : [],
    );
    // Of two lines for one name the first counts, as for getpwnam.
    return new Map(ids.filter(([account], i) => ids.findIndex(([other]) => other === account) === i));
  } catch (cause) {
    const absent = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    if (absent && root !== '/') return await readIds('/', name);
    if (absent) return new Map();
    throw new ConfigError(`cannot read ${file}: ${messageOf(cause)}`, { cause });
  }
}

/**
 * What to chown to for an owner as config.json writes it: `user`, `user:group`, `user:`; names only, and a missing
 * group is the one named as the user. Without root, an owner is satisfied when the running uid or one of its groups
 * is meant. Throws RangeError with what was wanted, what is possible, and the fix.
 */
export function ownershipFor(owner: string, accounts: Accounts, me: Identity): Ownership {
  const [user = '', group = ''] = owner.split(':');
  const uid = idOf('user', user, accounts.users, owner);
  const gid = idOf('group', group === '' ? user : group, accounts.groups, owner);
  if (me.uid === 0) return { uid, gid };
  const isMyGroup = gid === me.gid || me.groups.includes(gid);
  if (uid === me.uid || isMyGroup) return { uid: -1, gid: isMyGroup ? gid : -1 };
  throw new RangeError(
    `'${owner}' is ${uid}:${gid}, but this runs as ${me.uid}:${me.gid} and can give a file to nobody else; ` +
      `run it with runAsUser: ${uid} and runAsGroup: ${gid}, or name an owner with that user or group`,
  );
}

function idOf(kind: 'user' | 'group', name: string, known: ReadonlyMap<string, number>, owner: string): number {
  const id = known.get(name);
  if (id !== undefined) return id;
  const file = kind === 'user' ? '/etc/passwd' : '/etc/group';
  if (/^\d*$/.test(name)) throw new RangeError(`'${owner}' has no ${kind} name; write the name that stands in ${file}`);
  throw new RangeError(`no ${kind} '${name}' in ${file}${suggestion(name, nearOnly(name, known))}`);
}

/** A list of every account of an image would bury the message. */
function nearOnly(name: string, known: ReadonlyMap<string, number>): string[] {
  const all = [...known.keys()];
  return suggestion(name, all).startsWith('; did you mean') ? all : [];
}
