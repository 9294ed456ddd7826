import type { Context } from '../cli/command.ts';
import { ConfigError, UsageError } from '../cli/errors.ts';
import { redactor, type Redact } from '../platform/redact.ts';
import type { Service } from '../services/index.ts';
import { findAccounts } from './accounts.ts';
import { PARTS, type Part, type PartName } from './change.ts';
import type { Effects } from './effects.ts';
import type { BootstrapOptions } from './options.ts';
import { readServiceConfig } from './service-config.ts';

const DEFAULT_REGION = 'RegionOne';

/** What the parts are for: URLs are needed only to make endpoints. */
export type Purpose = 'ensure' | 'remove';

/** What a service needs of what was asked for, in order, and how to hide the secrets that this takes. */
export interface Prepared {
  readonly parts: readonly Part[];
  readonly redact: Redact;
}

/**
 * Reads options and files and opens each part, without a word to a server yet.
 * @throws UsageError, ConfigError for what is missing or wrong
 */
export async function prepare(
  service: Service,
  options: BootstrapOptions,
  { log, inherited }: Pick<Context, 'log' | 'inherited'>,
  effects: Effects,
  purpose: Purpose = 'ensure',
): Promise<Prepared> {
  const { identity, queue } = service;
  if (identity === undefined && queue === undefined) {
    throw new ConfigError(
      `what ${service.name} needs in Keystone and RabbitMQ is not known: describe it as identity and queue under services of kolla-pod.yaml`,
    );
  }
  const chosen = chosenParts(options);
  const config = await readServiceConfig(service, options.serviceConfig);
  const parts: Part[] = [];
  const secrets: (string | undefined)[] = [];
  if (queue !== undefined && chosen.includes('queue')) {
    const { findTransport } = await import('./transport.ts');
    const found = await findTransport(queue, options, config, log);
    if (found !== undefined) {
      const [{ Broker }, { queuePart }] = await Promise.all([
        import('./rabbitmq/broker.ts'),
        import('./rabbitmq/index.ts'),
      ]);
      parts.push(queuePart(new Broker(found.broker, effects), found.transport));
      secrets.push(...found.secrets);
    }
  }
  const { domains = [], roles = [], users = [], services = [] } = identity ?? {};
  const hasUsers = chosen.includes('users') && domains.length + roles.length + users.length > 0;
  const hasEndpoints = chosen.includes('endpoints') && services.length > 0;
  if (hasUsers || hasEndpoints) {
    const { findAccess, Keystone, usersPart, wantedUsers, endpointsPart, wantedServices } =
      await import('./keystone/index.ts');
    const access = await findAccess(options, inherited['HOME']);
    const keystone = new Keystone(access, effects);
    secrets.push(...access.secrets);
    if (hasUsers) {
      const wanted = wantedUsers(identity ?? {}, await findAccounts(users, options, config));
      secrets.push(...wanted.users.map(({ password }) => password));
      parts.push(usersPart(keystone, wanted));
    }
    if (hasEndpoints) {
      const given = options.region.length > 0 ? options.region : [access.region ?? DEFAULT_REGION];
      const regions = [...new Set(given)];
      const templates = { public: options.publicUrl, internal: options.internalUrl, admin: options.adminUrl };
      const wanted = purpose === 'ensure' ? wantedServices(service.name, services, templates, regions) : [];
      parts.push(endpointsPart(keystone, services, regions, wanted));
    }
  }
  return { parts, redact: redactor(secrets) };
}

function chosenParts({ only, skip }: BootstrapOptions): PartName[] {
  const chosen = PARTS.filter((part) => (only.length === 0 || only.includes(part)) && !skip.includes(part));
  if (chosen.length === 0) throw new UsageError('--only and --skip leave nothing to do');
  return chosen;
}
