import type { Context } from '../cli/command.ts';
import { ConfigError, UsageError } from '../core/errors.ts';
import { redactor, type Redact } from '../core/redact.ts';
import type { Service } from '../catalog/index.ts';
import { findAccounts } from './accounts.ts';
import { PARTS, type Part, type PartName } from './change.ts';
import type { Effects } from './effects.ts';
import type { BootstrapOptions } from './options.ts';
import { readServiceConfig, type ServiceConfig } from './service-config.ts';

const DEFAULT_REGION = 'RegionOne';

/** What the parts are for: URLs are needed only to make endpoints. */
export type Purpose = 'ensure' | 'remove';

/** What a service needs of what was asked for, in order, and how to hide the secrets that this takes. */
export interface Prepared extends Disposable {
  readonly parts: readonly Part[];
  readonly redact: Redact;
}

/** What was opened, and what may not be shown. */
interface Opened extends Partial<Disposable> {
  readonly parts: readonly Part[];
  readonly secrets: readonly (string | undefined)[];
}

interface Asked {
  readonly service: Service;
  readonly options: BootstrapOptions;
  readonly chosen: readonly PartName[];
  readonly config: ServiceConfig;
  readonly purpose: Purpose;
  readonly context: Pick<Context, 'log' | 'inherited'>;
  readonly effects: Effects;
}

const NOTHING: Opened = { parts: [], secrets: [] };

/**
 * Reads options and files and opens each part, without a word to a server yet.
 * @throws UsageError, ConfigError for what is missing or wrong
 */
export async function prepare(
  service: Service,
  options: BootstrapOptions,
  context: Pick<Context, 'log' | 'inherited'>,
  effects: Effects,
  purpose: Purpose,
): Promise<Prepared> {
  if (service.identity === undefined && service.queue === undefined && service.keys === undefined) {
    throw new ConfigError(
      `what ${service.name} needs in Keystone and RabbitMQ is not known: describe it as identity and queue under services of kolla-pod.yaml`,
    );
  }
  const chosen = chosenParts(options);
  const config = await readServiceConfig(service, options.serviceConfig, context.inherited);
  const asked = { service, options, chosen, config, purpose, context, effects };
  const opened = [await openQueue(asked), await openSharedKeys(asked), await openKeystone(asked)];
  return {
    [Symbol.dispose]: () => {
      for (const each of opened) each[Symbol.dispose]?.();
    },
    parts: opened.flatMap(({ parts }) => parts),
    redact: redactor(opened.flatMap(({ secrets }) => secrets)),
  };
}

async function openQueue({ service, options, chosen, config, context, effects }: Asked): Promise<Opened> {
  if (service.queue === undefined || !chosen.includes('queue')) return NOTHING;
  const { findTransport } = await import('./transport.ts');
  const found = await findTransport(service.queue, options, config, context.log);
  if (found === undefined) return NOTHING;
  const [{ Broker }, { queuePart }] = await Promise.all([
    import('./rabbitmq/broker.ts'),
    import('./rabbitmq/index.ts'),
  ]);
  return { parts: [queuePart(new Broker(found.broker, effects), found.transport)], secrets: found.secrets };
}

async function openSharedKeys({ service, options, chosen, context, effects }: Asked): Promise<Opened> {
  if (service.keys === undefined || !chosen.includes('keys')) return NOTHING;
  const { openKeys } = await import('./keys/open.ts');
  const opened = openKeys(service.keys, options, context.inherited, effects);
  return opened === undefined
    ? NOTHING
    : { parts: [opened.part], secrets: [], [Symbol.dispose]: () => opened[Symbol.dispose]() };
}

async function openKeystone({ service, options, chosen, config, purpose, context, effects }: Asked): Promise<Opened> {
  const { domains = [], roles = [], users = [], services = [] } = service.identity ?? {};
  const hasUsers = chosen.includes('users') && domains.length + roles.length + users.length > 0;
  const hasEndpoints = chosen.includes('endpoints') && services.length > 0;
  if (!hasUsers && !hasEndpoints) return NOTHING;
  const keystoneApi = await import('./keystone/index.ts');
  const access = await keystoneApi.findAccess(options, context.inherited['HOME']);
  const keystone = new keystoneApi.Keystone(access, effects);
  const wanted = keystoneApi.wantedUsers(service.identity ?? {}, await findAccounts(users, options, config));
  const endpoints = () => {
    const given = options.region.length > 0 ? options.region : [access.region ?? DEFAULT_REGION];
    if (given.includes('')) throw new UsageError('--region: the name is empty');
    const regions = [...new Set(given)];
    const templates = { public: options.publicUrl, internal: options.internalUrl, admin: options.adminUrl };
    const urls = purpose === 'ensure' ? keystoneApi.wantedServices(service.name, services, templates, regions) : [];
    return keystoneApi.endpointsPart(keystone, services, regions, urls);
  };
  return {
    parts: [...(hasUsers ? [keystoneApi.usersPart(keystone, wanted)] : []), ...(hasEndpoints ? [endpoints()] : [])],
    secrets: [...access.secrets, ...wanted.users.map(({ password }) => password)],
  };
}

/** The parts that were asked for, in their order. UsageError where none is left. */
export function chosenParts({ only, skip }: Pick<BootstrapOptions, 'only' | 'skip'>): PartName[] {
  const chosen = PARTS.filter((part) => (only.length === 0 || only.includes(part)) && !skip.includes(part));
  if (chosen.length === 0) throw new UsageError('--only and --skip leave nothing to do');
  return chosen;
}
