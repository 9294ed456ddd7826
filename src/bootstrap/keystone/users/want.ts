import type { Identity, IdentityUser } from '../../../catalog/index.ts';

export const DEFAULT_DOMAIN = 'Default';

/** A project or an account: its name is its own within a domain. */
export interface Named {
  readonly name: string;
  readonly domain: string;
}

/** A role on a project or a domain; on the system where neither is named. */
export interface WantedGrant {
  readonly role: string;
  readonly project?: Named;
  readonly domain?: string;
}

/** An account as the service needs it. */
export interface WantedUser extends Named {
  /** Undefined where it was not given: then it is neither tried nor set. Never shown. */
  readonly password: string | undefined;
  /** Where it would have been found, for the message when it is needed. */
  readonly passwordPlace: string;
  readonly grants: readonly WantedGrant[];
}

/** What is to be there, in names. */
export interface Wanted {
  readonly domains: readonly string[];
  readonly roles: readonly string[];
  readonly projects: readonly Named[];
  readonly users: readonly WantedUser[];
}

/** What was found of an account outside the data: each counts before the data's word. */
export interface FoundAccount {
  readonly name?: string | undefined;
  readonly domain?: string | undefined;
  readonly project?: string | undefined;
  readonly projectDomain?: string | undefined;
  readonly password?: string | undefined;
  readonly passwordPlace: string;
}

/**
 * The data of a service, with the names that its configuration has instead of the data's. A domain that is named there is
 * one that is needed.
 * @param accountOf what was found of each user
 */
export function wantedUsers(
  { domains = [], roles = [], users = [] }: Identity,
  accountOf: (user: IdentityUser) => FoundAccount,
): Wanted {
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

/** By which it is found among others. */
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
