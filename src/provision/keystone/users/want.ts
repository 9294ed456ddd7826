import type { Identity, IdentityUser } from '../../../catalog/index.ts';

export const DEFAULT_DOMAIN = 'Default';

/** A project or an account. Its name is unique within its domain. */
export interface Named {
  readonly name: string;
  readonly domain: string;
}

/** A role on a project or a domain, or on the system if neither is given. */
export interface WantedGrant {
  readonly role: string;
  readonly project?: Named;
  readonly domain?: string;
}

/** A desired account. */
export interface WantedUser extends Named {
  /** Never logged. Undefined if no password was given: then it is neither tested nor set. */
  readonly password: string | undefined;
  /** Where the password was looked for; shown in the error if it is needed. */
  readonly passwordPlace: string;
  readonly grants: readonly WantedGrant[];
}

/** The desired objects by name. */
export interface DesiredIdentity {
  readonly domains: readonly string[];
  readonly roles: readonly string[];
  readonly projects: readonly Named[];
  readonly users: readonly WantedUser[];
}

/** Values of an account that override the catalogue's. */
export interface FoundAccount {
  readonly name?: string | undefined;
  readonly domain?: string | undefined;
  readonly project?: string | undefined;
  readonly projectDomain?: string | undefined;
  readonly password?: string | undefined;
  readonly passwordPlace: string;
}

/**
 * A service's objects; names in its configuration override the catalogue's. A domain named in the configuration is
 * created if missing.
 * @param accountOf the values found for each user
 */
export function wantedUsers(
  { domains = [], roles = [], users = [] }: Identity,
  accountOf: (user: IdentityUser) => FoundAccount,
): DesiredIdentity {
  const renamed = new Map<string, string>();
  const accounts = users.map((user) => {
    const account = wantedUser(user, accountOf(user));
    if (user.domain !== undefined) renamed.set(user.domain, account.domain);
    return account;
  });
  const grants = accounts.flatMap((user) => user.grants);
  const projects = new Map(
    grants.flatMap(({ project }): [string, Named][] => (project === undefined ? [] : [[keyOf(project), project]])),
  );
  const all = [
    ...domains.map((domain) => renamed.get(domain) ?? domain),
    ...accounts.map(({ domain }) => domain),
    ...[...projects.values()].map(({ domain }) => domain),
  ];
  return {
    domains: [...new Set(all)].filter((domain) => domain !== DEFAULT_DOMAIN),
    roles: [...new Set([...roles, ...grants.map(({ role }) => role)])],
    projects: [...projects.values()],
    users: accounts,
  };
}

/** The key of a project or user in maps. */
export function keyOf({ name, domain }: Named): string {
  return JSON.stringify([domain, name]);
}

function wantedUser(user: IdentityUser, found: FoundAccount): WantedUser {
  const domain = found.domain ?? user.domain ?? DEFAULT_DOMAIN;
  const grants = user.grants.map(({ role, project, domain: on }): WantedGrant => {
    if (project !== undefined) {
      return { role, project: { name: found.project ?? project, domain: found.projectDomain ?? DEFAULT_DOMAIN } };
    }
    return on === undefined ? { role } : { role, domain: on === user.domain ? domain : on };
  });
  return {
    name: found.name ?? user.name,
    domain,
    password: found.password,
    passwordPlace: found.passwordPlace,
    grants,
  };
}
