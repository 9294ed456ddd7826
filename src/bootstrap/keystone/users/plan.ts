import type { Change, Field } from '../../change.ts';
import { assignmentKey, targetOf, type UsersState } from './state.ts';
import { DEFAULT_DOMAIN, keyOf, type Named, type Wanted, type WantedGrant, type WantedUser } from './want.ts';

/** A difference, with what it takes to end it. */
export type UserChange = Change &
  (
    | { readonly does: 'domain' | 'role'; readonly wants: string }
    | { readonly does: 'project'; readonly wants: Named }
    | { readonly does: 'user' | 'password'; readonly wants: WantedUser }
    | { readonly does: 'assignment'; readonly wants: { readonly user: WantedUser; readonly grant: WantedGrant } }
  );

const LOCKED = 'Keystone still answers 401: the account may be locked, or its password have expired';

/** What differs, in the order in which it can be ended. Roles that an account has besides are left alone. */
export function planUsers(wanted: Wanted, state: UsersState): UserChange[] {
  const named = (does: 'domain' | 'role', names: readonly string[], found: UsersState['domains']) =>
    names.flatMap((name) =>
      differences(does, name, found.get(name)).map((change) => ({ ...change, does, wants: name })),
    );
  return [
    ...named('domain', wanted.domains, state.domains),
    ...wanted.projects.flatMap((project) =>
      differences('project', nameOf(project), state.projects.get(keyOf(project))).map((change): UserChange => ({
        ...change,
        does: 'project',
        wants: project,
      })),
    ),
    ...wanted.users.flatMap((user) => [
      ...differences('user', nameOf(user), state.users.get(keyOf(user))).map((change): UserChange => {
        const lacks = change.action === 'create' && user.password === undefined ? { lacks: lackOf(user) } : {};
        return { ...change, ...lacks, does: 'user', wants: user };
      }),
      ...(state.refused.has(keyOf(user)) ? [passwordOf(user)] : []),
    ]),
    ...named('role', wanted.roles, state.roles),
    ...wanted.users.flatMap((user) =>
      user.grants.flatMap((grant): UserChange[] => {
        if (isGranted(user, grant, state)) return [];
        const name = `${grant.role} of ${nameOf(user)} on ${targetText(grant)}`;
        return [{ action: 'create', kind: 'assignment', name, fields: [], does: 'assignment', wants: { user, grant } }];
      }),
    ),
  ];
}

/** For people: without the domain that everybody expects. */
export function nameOf({ name, domain }: Named): string {
  return domain === DEFAULT_DOMAIN ? name : `${name} in domain ${domain}`;
}

function targetText({ project, domain }: WantedGrant): string {
  if (project !== undefined) return `project ${nameOf(project)}`;
  return domain === undefined ? 'the system' : `domain ${domain}`;
}

function differences(kind: string, name: string, found: { readonly enabled?: boolean } | undefined): Change[] {
  if (found === undefined) return [{ action: 'create', kind, name, fields: [] }];
  const fields: Field[] = found.enabled === false ? [{ name: 'enabled', before: 'false', after: 'true' }] : [];
  return fields.length === 0 ? [] : [{ action: 'update', kind, name, fields }];
}

function lackOf({ passwordPlace }: WantedUser): string {
  return `its password is not known: ${passwordPlace}`;
}

function passwordOf(user: WantedUser): UserChange {
  const fields = [{ name: 'token request', before: 'answered by 401', after: 'answered by 201' }];
  return {
    action: 'update',
    kind: 'password of user',
    name: nameOf(user),
    fields,
    stuck: LOCKED,
    does: 'password',
    wants: user,
  };
}

function isGranted(user: WantedUser, grant: WantedGrant, state: UsersState): boolean {
  const [account, role, target] = [state.users.get(keyOf(user)), state.roles.get(grant.role), targetOf(state, grant)];
  if (account === undefined || role === undefined || target === undefined) return false;
  return state.assignments.has(assignmentKey(target, account.id, role.id));
}
