import { defined } from '../../../core/defined.ts';
import type { Difference } from '../../converge/ensure.ts';
import { ensured } from '../api/ensured.ts';
import type { Keystone } from '../api/keystone.ts';
import { assignmentKey, targetOf, type UsersState } from './state.ts';
import { DEFAULT_DOMAIN, keyOf, type Named, type DesiredIdentity, type WantedGrant, type WantedUser } from './want.ts';

const LOCKED = 'Keystone still answers 401: the account may be locked, or its password has expired';

/** The differences, in the order in which they can be applied. Additional roles of an account are kept. */
export function planUsers(wanted: DesiredIdentity, state: UsersState): Difference<Keystone>[] {
  return [
    ...wanted.domains.flatMap((name) => ensuredNamed('domain', name, state.domains)),
    ...wanted.projects.flatMap((project) => ensuredProject(project, state)),
    ...wanted.users.flatMap((user) => [
      ...ensuredUser(user, state),
      ...(state.refused.has(keyOf(user)) ? [passwordOf(user, state)] : []),
    ]),
    ...wanted.roles.flatMap((name) => ensuredNamed('role', name, state.roles)),
    ...wanted.users.flatMap((user) => user.grants.flatMap((grant) => assignmentOf(user, grant, state))),
  ];
}

/** The name shown to users; the default domain is omitted. */
export function nameOf({ name, domain }: Named): string {
  return domain === DEFAULT_DOMAIN ? name : `${name} in domain ${domain}`;
}

function ensuredNamed(kind: 'domain' | 'role', name: string, among: UsersState['roles']): Difference<Keystone>[] {
  return ensured({
    kind,
    name,
    among,
    key: name,
    create: (keystone, doing) => keystone.create(`/${kind}s`, kind, { name }, doing),
  });
}

function ensuredProject(project: Named, { domains, projects }: UsersState): Difference<Keystone>[] {
  return ensured({
    kind: 'project',
    name: nameOf(project),
    among: projects,
    key: keyOf(project),
    create: (keystone, doing) => {
      // All wanted domains have been created at this point.
      const values = { name: project.name, domain_id: domains.get(project.domain)!.id };
      return keystone.create('/projects', 'project', values, doing);
    },
  });
}

function ensuredUser(user: WantedUser, { domains, projects, users }: UsersState): Difference<Keystone>[] {
  const { name, domain, password, passwordPlace, grants } = user;
  const changes = ensured({
    kind: 'user',
    name: nameOf(user),
    among: users,
    key: keyOf(user),
    create: (keystone, doing) => {
      const project = grants.find((grant) => grant.project !== undefined)?.project;
      const entity = project === undefined ? undefined : projects.get(keyOf(project));
      const values = { name, domain_id: domains.get(domain)!.id, password };
      return keystone.create('/users', 'user', { ...values, ...defined({ default_project_id: entity?.id }) }, doing);
    },
  });
  if (password !== undefined) return changes;
  const lacks = `its password is not known: ${passwordPlace}`;
  return changes.map((change) => (change.action === 'create' ? { ...change, lacks } : change));
}

function passwordOf(user: WantedUser, { users }: UsersState): Difference<Keystone> {
  return {
    action: 'update',
    kind: 'password of user',
    name: nameOf(user),
    fields: [{ name: 'token request', before: 'answered by 401', after: 'answered by 201' }],
    stuck: LOCKED,
    make: (keystone, doing) => {
      const { id } = users.get(keyOf(user))!;
      return keystone.update(`/users/${id}`, 'user', { password: user.password }, doing);
    },
  };
}

/** Keystone's path of this assignment. Undefined while the user, role or target is missing. */
function pathOf(user: WantedUser, grant: WantedGrant, state: UsersState): string | undefined {
  const [account, role, target] = [state.users.get(keyOf(user)), state.roles.get(grant.role), targetOf(state, grant)];
  if (account === undefined || role === undefined || target === undefined) return undefined;
  return assignmentKey(target, account.id, role.id);
}

function assignmentOf(user: WantedUser, grant: WantedGrant, state: UsersState): Difference<Keystone>[] {
  const found = pathOf(user, grant, state);
  if (found !== undefined && state.assignments.has(found)) return [];
  return [
    {
      action: 'create',
      kind: 'assignment',
      name: `${grant.role} of ${nameOf(user)} on ${targetText(grant)}`,
      fields: [],
      // Account, role and target have been created at this point.
      make: (keystone, doing) => keystone.put(pathOf(user, grant, state)!, doing),
    },
  ];
}

function targetText({ project, domain }: WantedGrant): string {
  if (project !== undefined) return `project ${nameOf(project)}`;
  return domain === undefined ? 'the system' : `domain ${domain}`;
}
