/**
 * Accounts of a service in Keystone.
 *
 *   the service's data, with the names and passwords of its configuration (want) -> what Keystone has of it, by name; a token
 *     request as each user whose password we know (state) -> what differs, as data (plan) -> made or changed in that order:
 *     domain, project, user, password, role, assignment (apply)
 *
 * A password is set only for a user whom Keystone answers 401, as every set revokes its tokens. Removal (remove) is of
 * the accounts alone.
 */
import type { Part } from '../../change.ts';
import type { Keystone } from '../keystone.ts';
import { applyUser } from './apply.ts';
import { planUsers } from './plan.ts';
import { planUserRemoval } from './remove.ts';
import { readUsers } from './state.ts';
import type { Wanted } from './want.ts';

export { wantedUsers, type FoundAccount, type Wanted } from './want.ts';

/** The part `users`. */
export function usersPart(keystone: Keystone, wanted: Wanted): Part {
  return {
    name: 'users',
    async plan() {
      const state = await readUsers(keystone, wanted);
      return planUsers(wanted, state).map((change) => ({ ...change, apply: () => applyUser(keystone, state, change) }));
    },
    planRemoval: () => planUserRemoval(keystone, wanted),
  };
}
