import { lineOf } from '../../change.ts';
import type { Keystone } from '../keystone.ts';
import type { UserChange } from './plan.ts';
import { assignmentKey, targetOf, type UsersState } from './state.ts';
import { keyOf, type Named, type WantedUser } from './want.ts';

/** Ends one difference, and puts what it made into the state. */
export async function applyUser(keystone: Keystone, state: UsersState, change: UserChange): Promise<void> {
  const doing = lineOf(change).replace(/:.*/s, '');
  switch (change.does) {
    case 'domain':
    case 'role':
      return await applyNamed(keystone, state, change.does, change.wants, doing);
    case 'project':
      return await applyProject(keystone, state, change.wants, doing);
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
  kind: 'domain' | 'role',
  name: string,
  doing: string,
): Promise<void> {
  const found = state[`${kind}s`].get(name);
  if (found !== undefined) return await keystone.update(`/${kind}s/${found.id}`, kind, { enabled: true }, doing);
  state[`${kind}s`].set(name, await keystone.create(`/${kind}s`, kind, { name }, doing));
}

async function applyProject(keystone: Keystone, state: UsersState, project: Named, doing: string): Promise<void> {
  const found = state.projects.get(keyOf(project));
  if (found !== undefined) return await keystone.update(`/projects/${found.id}`, 'project', { enabled: true }, doing);
  // The domains of all that is wanted come first: it is there by now.
  const values = { name: project.name, domain_id: state.domains.get(project.domain)!.id };
  state.projects.set(keyOf(project), await keystone.create('/projects', 'project', values, doing));
}

async function applyAccount(keystone: Keystone, state: UsersState, user: WantedUser, doing: string): Promise<void> {
  const { name, domain, password, grants } = user;
  const found = state.users.get(keyOf(user));
  if (found !== undefined) return await keystone.update(`/users/${found.id}`, 'user', { enabled: true }, doing);
  const project = grants.find((grant) => grant.project !== undefined)?.project;
  const entity = project === undefined ? undefined : state.projects.get(keyOf(project));
  const values = {
    name,
    domain_id: state.domains.get(domain)!.id,
    password,
    ...(entity === undefined ? {} : { default_project_id: entity.id }),
  };
  state.users.set(keyOf(user), await keystone.create('/users', 'user', values, doing));
}
