import type { Grant } from '../../../services/index.ts';
import type { Entity, Keystone } from '../keystone.ts';
import { DEFAULT_DOMAIN, type Wanted, type WantedUser } from './want.ts';

/** What Keystone has of what is wanted, by name. What is made is put in here, so that what comes after finds it. */
export interface UsersState {
  readonly domains: Map<string, Entity>;
  readonly projects: Map<string, Entity>;
  readonly roles: Map<string, Entity>;
  /** By `keyOf`. */
  readonly users: Map<string, Entity>;
  /** By `assignmentKey`. */
  readonly assignments: Set<string>;
  /** The users, by `keyOf`, whose password Keystone refuses. */
  readonly refused: Set<string>;
}

export function keyOf({ name, domain }: Pick<WantedUser, 'name' | 'domain'>): string {
  return JSON.stringify([domain, name]);
}

/** What a grant is on, by ids: the path that Keystone has for it. Undefined while that is not there. */
export function targetOf({ projects, domains }: UsersState, { project, domain }: Grant): string | undefined {
  if (project === undefined && domain === undefined) return 'system';
  const [of, entity] =
    project === undefined ? ['domains', domains.get(domain ?? '')] : ['projects', projects.get(project)];
  return entity === undefined ? undefined : `${of}/${entity.id}`;
}

export function assignmentKey(target: string, userId: string, roleId: string): string {
  return `/${target}/users/${userId}/roles/${roleId}`;
}

/** Reads only what is wanted; asks for a token as each user whose password we know, as that is the only way to learn it. */
export async function readUsers(keystone: Keystone, wanted: Wanted): Promise<UsersState> {
  const state: UsersState = {
    domains: new Map(),
    projects: new Map(),
    roles: new Map(),
    users: new Map(),
    assignments: new Set(),
    refused: new Set(),
  };
  for (const name of new Set([DEFAULT_DOMAIN, ...wanted.domains, ...wanted.users.map(({ domain }) => domain)])) {
    keep(state.domains, name, await keystone.list(`/domains?${query({ name })}`, 'domains'), name);
  }
  const defaultId = state.domains.get(DEFAULT_DOMAIN)?.id ?? 'default';
  for (const name of wanted.projects) {
    keep(
      state.projects,
      name,
      await keystone.list(`/projects?${query({ name, domain_id: defaultId })}`, 'projects'),
      name,
    );
  }
  for (const name of wanted.roles)
    keep(state.roles, name, await keystone.list(`/roles?${query({ name })}`, 'roles'), name);
  for (const user of wanted.users) await readUser(keystone, user, state);
  return state;
}

async function readUser(keystone: Keystone, user: WantedUser, state: UsersState): Promise<void> {
  const { name, domain, password } = user;
  const inDomain = state.domains.get(domain);
  if (inDomain === undefined) return;
  const found = await keystone.list(`/users?${query({ name, domain_id: inDomain.id })}`, 'users');
  const entity = keep(state.users, keyOf(user), found, name);
  if (entity === undefined) return;
  const assignments = await keystone.list(`/role_assignments?${query({ 'user.id': entity.id })}`, 'role_assignments');
  for (const assignment of assignments) {
    const key = keyOfAssignment(assignment);
    if (key !== undefined) state.assignments.add(key);
  }
  // One that is disabled gets no token whatever its password.
  if (password === undefined || entity.enabled === false) return;
  if (!(await keystone.knows({ name, domain, password }))) state.refused.add(keyOf(user));
}

interface Assignment {
  readonly role?: { readonly id: string };
  readonly user?: { readonly id: string };
  readonly scope?: Partial<Record<'project' | 'domain', { readonly id: string }>> & { readonly system?: unknown };
}

/** Undefined for one that is inherited by projects below: it is not the one that the service needs. */
function keyOfAssignment(assignment: object): string | undefined {
  const { role, user, scope = {} } = assignment as Assignment;
  if (role === undefined || user === undefined || 'OS-INHERIT:inherited_to' in scope) return undefined;
  if (scope.project !== undefined) return assignmentKey(`projects/${scope.project.id}`, user.id, role.id);
  if (scope.domain !== undefined) return assignmentKey(`domains/${scope.domain.id}`, user.id, role.id);
  return scope.system === undefined ? undefined : assignmentKey('system', user.id, role.id);
}

/** Keystone's database may compare names without their case, and then has no room for another spelling. */
function keep(into: Map<string, Entity>, key: string, found: readonly Entity[], name: string): Entity | undefined {
  const entity = found.find((each) => each.name === name) ?? found[0];
  if (entity !== undefined) into.set(key, entity);
  return entity;
}

function query(values: Readonly<Record<string, string>>): string {
  return new URLSearchParams(values).toString();
}
