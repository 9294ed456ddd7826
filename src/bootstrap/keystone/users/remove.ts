import { UnavailableError } from '../../../core/errors.ts';
import type { Planned } from '../../change.ts';
import type { Keystone } from '../keystone.ts';
import { nameOf } from './plan.ts';
import { findUsers } from './state.ts';
import type { Wanted } from './want.ts';

/**
 * The service's accounts, whose assignments go with them. Roles, projects and domains stay: others use them, and of a domain
 * of the service's own nobody can say whose users lie in it.
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
  return found.map(({ user, entity }) => {
    const name = nameOf(user);
    const apply = () => keystone.remove(`/users/${entity.id}`, `delete user ${name}`);
    return { action: 'delete', kind: 'user', name, fields: [], apply };
  });
}
