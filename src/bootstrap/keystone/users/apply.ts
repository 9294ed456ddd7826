import { ConfigError } from '../../../cli/errors.ts';
import { lineOf } from '../../change.ts';
import type { Keystone } from '../keystone.ts';
import type { UserChange } from './plan.ts';
import { assignmentKey, keyOf, targetOf, type UsersState } from './state.ts';
import { DEFAULT_DOMAIN, type WantedUser } from './want.ts';

/** Ends one difference, and puts what it made into the state. */
export async function applyUser(keystone: Keystone, state: UsersState, change: UserChange): Promise<void> {
  const doing = lineOf(change).replace(/:.*/s, '');
  switch (change.does) {
    case 'domain':
    case 'role':
    case 'project':
      return await applyNamed(keystone, state, change.does, change.wants, doing);
    case 'user':
      return await applyAccount(keystone, state, change.wants, doing);
    case 'password': {
      const { id } = state.users.get(keyOf(change.wants))!;
      return await keystone.update(`/users/${id}`, 'user', { password: change.wants.password }, doing);
    }
    case 'assignment': {
      const { user, grant } = change.wants;
      const [account, role, target] = [
        state.users.get(keyOf(user)),
        state.roles.get(grant.role),
        targetOf(state, grant),
      ];
      return await keystone.put(assignmentKey(target!, account!.id, role!.id), doing);
    }
  }
}

async function applyNamed(
  keystone: Keystone,
  state: UsersState,
  kind: 'domain' | 'project' | 'role',
  name: string,
  doing: string,
): Promise<void> {
  const found = state[`${kind}s`].get(name);
  if (found !== undefined) return await keystone.update(`/${kind}s/${found.id}`, kind, { enabled: true }, doing);
  const inDomain = kind === 'project' ? { domain_id: state.domains.get(DEFAULT_DOMAIN)?.id ?? 'default' } : {};
  state[`${kind}s`].set(name, await keystone.create(`/${kind}s`, kind, { name, ...inDomain }, doing));
}

async function applyAccount(keystone: Keystone, state: UsersState, user: WantedUser, doing: string): Promise<void> {
  const { name, domain, password, grants } = user;
  const found = state.users.get(keyOf(user));
  if (found !== undefined) return await keystone.update(`/users/${found.id}`, 'user', { enabled: true }, doing);
  const inDomain = state.domains.get(domain);
  if (inDomain === undefined)
    throw new ConfigError(`user ${name} is to be made in domain ${domain}, which there is not`);
  const project = state.projects.get(grants.find((grant) => grant.project !== undefined)?.project ?? '');
  const values = {
    name,
    domain_id: inDomain.id,
    password,
    ...(project === undefined ? {} : { default_project_id: project.id }),
  };
  state.users.set(keyOf(user), await keystone.create('/users', 'user', values, doing));
}
