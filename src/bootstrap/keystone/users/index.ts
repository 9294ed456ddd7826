/**
 * Accounts of a service in Keystone.
 *
 *   the service's data, with the names and passwords of its configuration (want) -> what Keystone has of it, by name; a token
 *     request as each user whose password we know (state) -> what differs, and how to end it, in that order: domain,
 *     project, user, password, role, assignment (plan)
 *
 * A password is set only for a user whom Keystone answers 401, as every set revokes its tokens. Removal is of
 * the accounts alone.
 */
import { UnavailableError } from '../../../core/errors.ts';
import type { Part, Planned } from '../../change.ts';
import { ensuredPart, removal } from '../../ensure.ts';
import type { Keystone } from '../keystone.ts';
import { nameOf, planUsers } from './plan.ts';
import { findUsers, readUsers } from './state.ts';
import type { Wanted } from './want.ts';

export { wantedUsers, type FoundAccount } from './want.ts';

/** The part `users`. */
export function usersPart(keystone: Keystone, wanted: Wanted): Part {
  return ensuredPart({
    name: 'users',
    server: keystone,
    read: () => readUsers(keystone, wanted),
    differences: (state) => planUsers(wanted, state),
    planRemoval: () => planUserRemoval(keystone, wanted),
  });
}

/**
 * The service's accounts, whose assignments go with them. Roles, projects and domains stay: others use them, and of a domain
 * of the service's own it is unknown whose users are in it.
 * @throws UnavailableError where one is the account that we are: a service may log in as the admin
 */
export async function planUserRemoval(keystone: Keystone, wanted: Wanted): Promise<Planned[]> {
  const found = await findUsers(keystone, wanted);
  const own = found.length === 0 ? undefined : await keystone.ownUserId();
  const self = found.find(({ entity }) => entity.id === own);
  if (self !== undefined) {
    const name = nameOf(self.user);
    throw new UnavailableError(
      `user ${name} is who we are to Keystone, and stays: be another, or leave it by --skip users`,
    );
  }
  return found.map(({ user, entity }) => removal(keystone, 'user', nameOf(user), `/users/${entity.id}`));
}
