/**
 * Prepares a service in Keystone, by its API v3.
 *
 *   OS_* or clouds.yaml -> access -> a token, renewed when it expires (keystone.ts) -> users/, endpoints/: each reads the
 *     state, plans the differences, and applies them
 *
 * Waiting, and retries after 5xx, are the client's (../client.ts). Errors come with their fix: 401 and 403 end the run
 * (77); 404 and 409 mean that another client was faster, so the state is read again.
 */
import { UsageError } from '../../core/errors.ts';
import { suggestion } from '../../core/nearest.ts';
import { readSecretFile } from '../../cli/secret-file.ts';
import type { IdentityUser, Service } from '../../catalog/index.ts';
import type { PartName, PartSource } from '../converge/change.ts';
import type { BootstrapOptions } from '../options/options.ts';
import type { ServiceConfig } from '../converge/service-config.ts';
import { findAccess } from './api/access.ts';
import { endpointsPart, wantedServices } from './endpoints/index.ts';
import { Keystone } from './api/keystone.ts';
import { usersPart, wantedUsers, type FoundAccount } from './users/index.ts';

const DEFAULT_REGION = 'RegionOne';

/** The purpose of a run. Only the creation of endpoints needs URLs. */
export type Purpose = 'ensure' | 'remove';

/**
 * Reads the input of the parts `users` and `endpoints`; undefined if the service needs neither.
 * @param home for clouds.yaml
 * @throws UsageError, ConfigError for missing or invalid input
 */
export async function readKeystone(
  { name, identity = {} }: Service,
  options: BootstrapOptions,
  chosen: readonly PartName[],
  config: ServiceConfig,
  home: string | undefined,
  purpose: Purpose,
): Promise<PartSource | undefined> {
  const { domains = [], roles = [], users = [], services = [] } = identity;
  const hasUsers = chosen.includes('users') && domains.length + roles.length + users.length > 0;
  const hasEndpoints = chosen.includes('endpoints') && services.length > 0;
  if (!hasUsers && !hasEndpoints) return undefined;
  const access = await findAccess(options, home);
  const wanted = wantedUsers(identity, findAccounts(users, options, config));
  const regions = hasEndpoints ? regionsOf(options.region, access.region) : [];
  const templates = { public: options.publicUrl, internal: options.internalUrl, admin: options.adminUrl };
  const entries = hasEndpoints && purpose === 'ensure' ? wantedServices(name, services, templates, regions) : [];
  return {
    secrets: [...access.secrets, ...wanted.users.map(({ password }) => password)],
    open(effects) {
      const keystone = new Keystone(access, effects);
      return [
        ...(hasUsers ? [usersPart(keystone, wanted)] : []),
        ...(hasEndpoints ? [endpointsPart(keystone, services, regions, entries)] : []),
      ];
    },
  };
}

function regionsOf(given: readonly string[], ofCloud: string = DEFAULT_REGION): string[] {
  if (given.includes('')) throw new UsageError('--region: the name is empty');
  return [...new Set(given.length > 0 ? given : [ofCloud])];
}

/**
 * Each account's name, domain, project and password, from options or else from the service's own configuration, so that
 * they match the credentials that the service uses.
 * @throws UsageError for a password file without an account
 */
function findAccounts(
  users: readonly IdentityUser[],
  { password, passwordFile }: BootstrapOptions,
  config: ServiceConfig,
): (user: IdentityUser) => FoundAccount {
  const names = users.map(({ name }) => name);
  const given = new Map<string, string>();
  const [first] = names;
  if (password !== undefined && first !== undefined) given.set(first, password);
  for (const word of passwordFile) {
    const { user = first, file = word } = /^(?<user>[\w.@-]+)=(?<file>.+)$/.exec(word)?.groups ?? {};
    if (user === undefined || !names.includes(user)) {
      throw new UsageError(`--password-file ${word}: no account '${user ?? ''}'${suggestion(user ?? '', names)}`);
    }
    if (given.has(user)) {
      throw new UsageError(
        `the password of ${user} is given twice (KOLLA_BOOTSTRAP_PASSWORD, --password-file): leave one out`,
      );
    }
    given.set(user, readSecretFile(file, '--password-file'));
  }
  return ({ name, places }) => ({
    name: config.valueAt(places?.name),
    domain: config.valueAt(places?.domain),
    project: config.valueAt(places?.project),
    projectDomain: config.valueAt(places?.projectDomain),
    password: given.get(name) ?? config.valueAt(places?.password),
    passwordPlace: `give --password-file ${name}=FILE${places === undefined ? '' : `, or set ${config.nameOf([places.password])}`}`,
  });
}
