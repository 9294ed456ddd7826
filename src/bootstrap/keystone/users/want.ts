import type { Grant, Identity, IdentityUser } from '../../../services/index.ts';

export const DEFAULT_DOMAIN = 'Default';

/** An account as the service needs it. */
export interface WantedUser {
  readonly name: string;
  readonly domain: string;
  /** Undefined where nobody told us: then it is neither tried nor set. Never shown. */
  readonly password: string | undefined;
  /** Where it would have been found, for the message when it is needed. */
  readonly passwordPlace: string;
  readonly grants: readonly Grant[];
}

/** What is to be there, in names. */
export interface Wanted {
  readonly domains: readonly string[];
  readonly roles: readonly string[];
  /** All in the Default domain. */
  readonly projects: readonly string[];
  readonly users: readonly WantedUser[];
}

/** What was found of an account outside the data: each counts before the data's word. */
export interface FoundAccount {
  readonly name?: string | undefined;
  readonly domain?: string | undefined;
  readonly project?: string | undefined;
  readonly password?: string | undefined;
  readonly passwordPlace: string;
}

/**
 * The data of a service, with the names that its configuration has instead of the data's.
 * @param accountOf what was found of each user
 */
export function wantedUsers(
  { domains = [], roles = [], users = [] }: Identity,
  accountOf: (user: IdentityUser) => FoundAccount,
): Wanted {
  const renamed = new Map<string, string>();
  const accounts = users.map((user): WantedUser => {
    const found = accountOf(user);
    const domain = found.domain ?? user.domain ?? DEFAULT_DOMAIN;
    if (user.domain !== undefined) renamed.set(user.domain, domain);
    return {
      name: found.name ?? user.name,
      domain,
      password: found.password,
      passwordPlace: found.passwordPlace,
      grants: user.grants.map((grant) => ({
        ...grant,
        ...(grant.project === undefined ? {} : { project: found.project ?? grant.project }),
        ...(grant.domain === undefined || grant.domain !== user.domain ? {} : { domain }),
      })),
    };
  });
  const grants = accounts.flatMap((user) => user.grants);
  return {
    domains: unique(domains.map((domain) => renamed.get(domain) ?? domain)),
    roles: unique([...roles, ...grants.map(({ role }) => role)]),
    projects: unique(grants.flatMap(({ project }) => project ?? [])),
    users: accounts,
  };
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
