/**
 * Accounts of a service in Keystone.
 *
 *   the service's data, with the names and passwords of its configuration (want) -> Keystone's state by name; a token
 *     request for each user with a known password (state) -> differences, and how to apply them, in this order: domain,
 *     project, user, password, role, assignment (plan)
 *
 * A password is set only if Keystone returns 401 for it, since each change revokes the user's tokens. Only accounts are
 * removed.
 */
import { UnavailableError } from '../../../core/errors.ts';
import type { Part, Planned } from '../../converge/change.ts';
import { ensuredPart, removal } from '../../converge/ensure.ts';
import type { Keystone } from '../api/keystone.ts';
import { nameOf, planUsers } from './plan.ts';
import { findUsers, readUsers } from './state.ts';
import type { DesiredIdentity } from './want.ts';

export { wantedUsers, type FoundAccount } from './want.ts';

/** The part `users`. */
export function usersPart(keystone: Keystone, wanted: DesiredIdentity): Part {
  return ensuredPart({
    name: 'users',
    server: keystone,
    read: () => readUsers(keystone, wanted),
    differences: (state) => planUsers(wanted, state),
    planRemoval: () => planUserRemoval(keystone, wanted),
  });
}

/**
 * The service's accounts, whose assignments are removed with them. Roles, projects and domains stay: others use them,
 * and a domain of the service may contain other users.
 * @throws UnavailableError if one is the account in use: a service may log in as the admin
 */
export async function planUserRemoval(keystone: Keystone, wanted: DesiredIdentity): Promise<Planned[]> {
  const found = await findUsers(keystone, wanted);
  const own = found.length === 0 ? undefined : await keystone.ownUserId();
  const self = found.find(({ entity }) => entity.id === own);
  if (self !== undefined) {
    const name = nameOf(self.user);
    throw new UnavailableError(
      `user ${name} is the account in use, and is not removed: use another account, or --skip users`,
    );
  }
  return found.map(({ user, entity }) => removal(keystone, 'user', nameOf(user), `/users/${entity.id}`));
}
