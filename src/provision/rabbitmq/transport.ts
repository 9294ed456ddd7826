import { ConfigError, UsageError, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { trustOfUrls, type TlsMode } from '../../cli/tls-option.ts';
import { formatAddress } from '../../net/dial/address.ts';
import { readSecret } from '../../cli/secret-option.ts';
import type { Queue } from '../../catalog/index.ts';
import { RABBITMQ_ADMIN_PASSWORD, TRANSPORT_URL, type BootstrapOptions } from '../options/options.ts';
import type { BrokerOptions } from './broker.ts';
import { parseTransportUrl, type Transport } from './transport-url.ts';
import type { ServiceConfig } from '../converge/service-config.ts';

const [MANAGEMENT_PORT, MANAGEMENT_TLS_PORT] = [15_672, 15_671];

/** Input of the part `queue`, with its secrets for redaction. */
interface FoundTransport {
  readonly transport: Transport;
  readonly broker: BrokerOptions;
  readonly secrets: readonly string[];
}

/**
 * The service's transport URL and the RabbitMQ credentials. Without an admin account, or if the queue is optional and
 * unset, it logs this and returns undefined.
 */
export async function findTransport(
  queue: Queue,
  options: BootstrapOptions,
  config: ServiceConfig,
  log: Log,
): Promise<FoundTransport | undefined> {
  const adminPassword = await readSecret(RABBITMQ_ADMIN_PASSWORD, options);
  if (options.rabbitmqAdminUser === undefined) {
    if (adminPassword !== undefined || options.only.includes('queue'))
      throw new UsageError('the queue needs --rabbitmq-admin-user');
    log.info('no --rabbitmq-admin-user: virtual host and account in RabbitMQ are not changed');
    return undefined;
  }
  const account = requireAccount(options.rabbitmqAdminUser, adminPassword);
  const { url, place } = await urlOf(queue, options, config);
  if (url === undefined && queue.optional) {
    log.info(`no queue: ${place} is not set`);
    return undefined;
  }
  if (url === undefined)
    throw new ConfigError(`the transport URL is unknown: set ${place}, or give --transport-url-file`);
  const transport = transportOf(url, place);
  const urls =
    options.rabbitmqUrl.length > 0 ? options.rabbitmqUrl.map(managementUrl) : defaultUrls(transport, options.tls);
  return {
    transport,
    broker: brokerOf(urls, options, account),
    secrets: [url, transport.password, account.adminPassword],
  };
}

type AdminOptions = Pick<
  BootstrapOptions,
  'rabbitmqUrl' | 'rabbitmqAdminUser' | 'rabbitmqAdminPassword' | 'rabbitmqAdminPasswordFile' | 'tls' | 'caFile'
>;

/**
 * Access to RabbitMQ's management API without a service.
 * @throws UsageError for a missing option
 */
export async function adminOf(options: AdminOptions): Promise<BrokerOptions> {
  const account = requireAccount(options.rabbitmqAdminUser, await readSecret(RABBITMQ_ADMIN_PASSWORD, options));
  if (options.rabbitmqUrl.length === 0) throw new UsageError('--rabbitmq-url is required');
  return brokerOf(options.rabbitmqUrl.map(managementUrl), options, account);
}

type Account = Pick<BrokerOptions, 'adminUser' | 'adminPassword'>;

function requireAccount(adminUser: string | undefined, adminPassword: string | undefined): Account {
  if (adminUser === undefined) throw new UsageError('--rabbitmq-admin-user is required');
  if (adminPassword === undefined) {
    throw new UsageError(
      '--rabbitmq-admin-user is given without its password: KOLLA_BOOTSTRAP_RABBITMQ_ADMIN_PASSWORD or --rabbitmq-admin-password-file',
    );
  }
  return { adminUser, adminPassword };
}

function brokerOf([first, ...rest]: readonly URL[], options: AdminOptions, account: Account): BrokerOptions {
  const urls = [first!, ...rest] as const;
  const servers = urls.map((url) => ({ url, called: `--rabbitmq-url ${url.origin}` }));
  return { urls: [...urls], trust: trustOfUrls(options, servers), ...account };
}

async function urlOf(
  queue: Queue,
  options: BootstrapOptions,
  config: ServiceConfig,
): Promise<{ url: string | undefined; place: string }> {
  const given = await readSecret(TRANSPORT_URL, options);
  if (given !== undefined) return { url: given, place: 'the given transport URL' };
  const place = queue.url.find((each) => config.valueAt(each) !== undefined);
  return { url: config.valueAt(place), place: config.nameOf(place === undefined ? queue.url : [place]) };
}

function transportOf(url: string, place: string): Transport {
  try {
    return parseTransportUrl(url);
  } catch (cause) {
    throw new ConfigError(`${place} is not a usable transport URL: ${messageOf(cause)}`, { cause });
  }
}

function defaultUrls({ hosts }: Transport, tls: TlsMode = 'off'): URL[] {
  const [scheme, port] = tls === 'off' ? ['http', MANAGEMENT_PORT] : ['https', MANAGEMENT_TLS_PORT];
  return hosts.map(({ host }) => new URL(`${scheme}://${formatAddress({ host, port })}`));
}

function managementUrl(text: string): URL {
  // Checked first, because the other message shows the text, such as a transport URL given by mistake.
  if (text.includes('@'))
    throw new UsageError('--rabbitmq-url: it contains a user: give --rabbitmq-admin-user instead');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError(`--rabbitmq-url: '${text}' is not an http or https URL`);
  return url;
}
