import { KOLLA_USERS } from '../../catalog/kolla-users.ts';
import type { Accounts } from '../owner.ts';

/** The only group named differently from its user. */
const GROUP_NAMES: Readonly<Record<string, string>> = { hacluster: 'haclient' };

/** The accounts of all Kolla images, if no image is available. */
export function kollaAccounts(): Accounts {
  const users = Object.entries(KOLLA_USERS);
  const groups = users.map(([name, id]) => [GROUP_NAMES[name] ?? name, id] as const);
  return { users: new Map([['root', 0], ...users]), groups: new Map([['root', 0], ...groups]) };
}
