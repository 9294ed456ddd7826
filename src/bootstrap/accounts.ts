import { UsageError } from '../core/errors.ts';
import { suggestion } from '../core/nearest.ts';
import { readSecret } from '../cli/secret-file.ts';
import type { IdentityUser } from '../catalog/index.ts';
import type { FoundAccount } from './keystone/users/index.ts';
import type { BootstrapOptions } from './options.ts';
import type { ServiceConfig } from './service-config.ts';

/**
 * Each account's name, domain, project and password: given by options, else in the service's own configuration, so that
 * Keystone gets what the service will log in with.
 * @throws UsageError for a file that is for nobody
 */
export async function findAccounts(
  users: readonly IdentityUser[],
  { password, passwordFile }: BootstrapOptions,
  config: ServiceConfig,
): Promise<(user: IdentityUser) => FoundAccount> {
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
    given.set(user, await readSecret(file, '--password-file'));
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
