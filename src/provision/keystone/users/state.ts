import { UnavailableError } from '../../../core/errors.ts';
import type { Entity, Keystone } from '../api/keystone.ts';
import { DEFAULT_DOMAIN, keyOf, type DesiredIdentity, type WantedGrant, type WantedUser } from './want.ts';

const DEFAULT_DOMAIN_ID = 'default';

/** The wanted objects that exist, by name. Created objects are added, so that later changes find them. */
export interface UsersState {
  readonly domains: Map<string, Entity>;
  /** Projects, by `keyOf`. */
  readonly projects: Map<string, Entity>;
  readonly roles: Map<string, Entity>;
  /** Users, by `keyOf`. */
  readonly users: Map<string, Entity>;
  /** Role assignments, by `assignmentKey`. */
  readonly assignments: Set<string>;
  /** Users whose password Keystone rejects, by `keyOf`. */
  readonly refused: Set<string>;
}

/** The target of a grant as Keystone's path, with IDs. Undefined while the target is missing. */
export function targetOf({ projects, domains }: UsersState, { project, domain }: WantedGrant): string | undefined {
  if (project === undefined && domain === undefined) return 'system';
  const [of, entity] =
    project === undefined ? ['domains', domains.get(domain ?? '')] : ['projects', projects.get(keyOf(project))];
  return entity === undefined ? undefined : `${of}/${entity.id}`;
}

export function assignmentKey(target: string, userId: string, roleId: string): string {
  return `/${target}/users/${userId}/roles/${roleId}`;
}

/** Reads only the wanted objects; tests each known password by requesting a token, which is the only way. */
export async function readUsers(keystone: Keystone, wanted: DesiredIdentity): Promise<UsersState> {
  const state: UsersState = {
    domains: new Map(),
    projects: new Map(),
    roles: new Map(),
    users: new Map(),
    assignments: new Set(),
    refused: new Set(),
  };
  state.domains.set(DEFAULT_DOMAIN, await defaultDomain(keystone));
  for (const name of wanted.domains) {
    keep(state.domains, name, await keystone.list(`/domains?${query({ name })}`, 'domains'), name);
  }
  for (const project of wanted.projects) {
    const inDomain = state.domains.get(project.domain);
    if (inDomain === undefined) continue;
    const { name } = project;
    const found = await keystone.list(`/projects?${query({ name, domain_id: inDomain.id })}`, 'projects');
    keep(state.projects, keyOf(project), found, name);
  }
  for (const name of wanted.roles)
    keep(state.roles, name, await keystone.list(`/roles?${query({ name })}`, 'roles'), name);
  for (const user of wanted.users) await readUser(keystone, user, state);
  return state;
}

/** The default domain may have been renamed, but its ID is fixed. */
async function defaultDomain(keystone: Keystone): Promise<Entity> {
  const named = await keystone.list(`/domains?${query({ name: DEFAULT_DOMAIN })}`, 'domains');
  const found = oneOf(named, DEFAULT_DOMAIN) ?? (await keystone.find(`/domains/${DEFAULT_DOMAIN_ID}`, 'domain'));
  if (found !== undefined) return found;
  throw new UnavailableError('Keystone has no domain Default: has `keystone-manage bootstrap` run?');
}

/** The wanted accounts that exist. */
export async function findUsers(
  keystone: Keystone,
  wanted: Pick<DesiredIdentity, 'users'>,
): Promise<{ readonly user: WantedUser; readonly entity: Entity }[]> {
  const found: { user: WantedUser; entity: Entity }[] = [];
  for (const user of wanted.users) {
    const domain =
      user.domain === DEFAULT_DOMAIN
        ? await defaultDomain(keystone)
        : oneOf(await keystone.list(`/domains?${query({ name: user.domain })}`, 'domains'), user.domain);
    const entity = domain === undefined ? undefined : await userIn(keystone, user, domain);
    if (entity !== undefined) found.push({ user, entity });
  }
  return found;
}

async function userIn(keystone: Keystone, { name }: WantedUser, domain: Entity): Promise<Entity | undefined> {
  const found = await keystone.list(`/users?${query({ name, domain_id: domain.id })}`, 'users');
  return oneOf(found, name);
}

async function readUser(keystone: Keystone, user: WantedUser, state: UsersState): Promise<void> {
  const { name, domain, password } = user;
  const inDomain = state.domains.get(domain);
  if (inDomain === undefined) return;
  const entity = await userIn(keystone, user, inDomain);
  if (entity === undefined) return;
  state.users.set(keyOf(user), entity);
  const assignments = await keystone.list(`/role_assignments?${query({ 'user.id': entity.id })}`, 'role_assignments');
  for (const assignment of assignments) {
    const key = keyOfAssignment(assignment);
    if (key !== undefined) state.assignments.add(key);
  }
  // A disabled user, or one in a disabled domain, gets no token whatever the password.
  if (password === undefined || entity.enabled === false || inDomain.enabled === false) return;
  if (!(await keystone.knows({ name, domain: inDomain.id, password }))) state.refused.add(keyOf(user));
}

interface Assignment {
  readonly role?: { readonly id: string };
  readonly user?: { readonly id: string };
  readonly scope?: Partial<Record<'project' | 'domain', { readonly id: string }>> & { readonly system?: unknown };
}

/** Undefined for an inherited assignment, since the service needs a direct one. */
function keyOfAssignment(assignment: object): string | undefined {
  const { role, user, scope = {} } = assignment as Assignment;
  if (role === undefined || user === undefined || 'OS-INHERIT:inherited_to' in scope) return undefined;
  if (scope.project !== undefined) return assignmentKey(`projects/${scope.project.id}`, user.id, role.id);
  if (scope.domain !== undefined) return assignmentKey(`domains/${scope.domain.id}`, user.id, role.id);
  return scope.system === undefined ? undefined : assignmentKey('system', user.id, role.id);
}

function keep(into: Map<string, Entity>, key: string, found: readonly Entity[], name: string): void {
  const entity = oneOf(found, name);
  if (entity !== undefined) into.set(key, entity);
}

/**
 * The entity with this name, or else with this name in other case: Keystone's database may compare names
 * case-insensitively, and then rejects a second spelling. An entity with any other name is not the requested one: an
 * account's password is then not ours to set.
 */
function oneOf(found: readonly Entity[], name: string): Entity | undefined {
  const plain = name.toLowerCase();
  return found.find((each) => each.name === name) ?? found.find((each) => each.name?.toLowerCase() === plain);
}

function query(values: Readonly<Record<string, string>>): string {
  return new URLSearchParams(values).toString();
}
