import { defined } from '../../core/defined.ts';
import { ConfigError, messageOf } from '../../core/errors.ts';
import { givenBy, readSecret } from '../../cli/secret-option.ts';
import { parseMysqlUrl, type MysqlTarget, type MysqlTls } from '../../mysql/index.ts';
import { asOslo } from '../../oslo/value.ts';
import type { Service, ServiceDatabase } from '../../catalog/index.ts';
import { CONNECTION, type TargetOptions } from '../options/options.ts';
import { ownTls, type OwnTls } from './own-tls.ts';
import { configured, variableOf, wordsOf, type Configured } from './service-config.ts';

export interface Source {
  /** The database with the lock and the record. */
  readonly target: MysqlTarget;
  /** Never logged. */
  readonly url: string;
  /** TLS settings that the service itself uses. */
  readonly urlTls?: MysqlTls;
  /** Where the URL comes from, for messages. */
  readonly place: string;
  /**
   * Variables that give the service's tool the same URL, if it would not find it by itself, in oslo.config's form.
   * Never logged.
   */
  readonly environment: Readonly<Record<string, string>>;
  /** Variables that can override the tool's URL; none if the tool reads only its own file. */
  readonly variables: readonly string[];
  /** The catalogue's data of the database; undefined if it is not one of the service's. */
  readonly database?: ServiceDatabase | undefined;
}

/**
 * The database URL: given, from a file, or from the service's configuration. ConfigError has the location and the fix.
 */
export async function findSource(
  service: Service,
  options: TargetOptions & OwnTls,
  inherited: NodeJS.ProcessEnv,
): Promise<Source> {
  const given = await givenUrl(options);
  if (given !== undefined)
    return {
      ...sourceOf(given.url, given.place, options),
      environment: handedOver(service, 0, given.url),
      variables: variablesOf(service, 0),
      database: service.databases[0],
    };
  const [database] = service.databases;
  if (database === undefined || database.url.length === 0) {
    const why =
      database === undefined
        ? 'has no database of its own'
        : 'has its database URL in a file that only its own program can read';
    throw new ConfigError(`${service.name} ${why}: set KOLLA_DB_SYNC_CONNECTION to that of the database to lock`);
  }
  const found = await configuredUrl(service, 0, options, inherited);
  if (found.value === undefined) throw new ConfigError(`${found.place} is not set: it must have the database URL`);
  return configuredSource(service, 0, options, { ...found, value: found.value });
}

/** The service's other databases in its configuration. An optional one may be unset. */
export async function findOthers(
  service: Service,
  options: TargetOptions & OwnTls,
  inherited: NodeJS.ProcessEnv,
): Promise<Source[]> {
  const found: Source[] = [];
  for (const [i, { optional }] of service.databases.entries()) {
    if (i === 0) continue;
    const { value, ...where } = await configuredUrl(service, i, options, inherited);
    if (value === undefined && optional) continue;
    if (value === undefined)
      throw new ConfigError(`${where.place} is not set: it must have the URL of another database`);
    found.push(configuredSource(service, i, options, { ...where, value }));
  }
  return found;
}

/** Whether an option gives the URL, so that the service's configuration is not read. */
export function isUrlGiven(options: TargetOptions): boolean {
  return givenBy(CONNECTION, options) !== undefined;
}

async function givenUrl(options: TargetOptions) {
  const url = await readSecret(CONNECTION, options);
  return url === undefined ? undefined : { url, place: options.connectionFile ?? CONNECTION[0].env };
}

async function configuredUrl(
  service: Service,
  index: number,
  { serviceConfig }: TargetOptions,
  inherited: NodeJS.ProcessEnv,
): Promise<Configured> {
  const places = service.databases[index]?.url ?? [];
  const words = places.map(wordsOf).join(' or ');
  const why = `has the service's database URL (${words}); or set KOLLA_DB_SYNC_CONNECTION`;
  return await configured(service, places, { serviceConfig, inherited }, why);
}

function configuredSource(
  service: Service,
  index: number,
  options: TargetOptions & OwnTls,
  { value: url, place, isVariable }: Configured & { readonly value: string },
): Source {
  // The tool reads its own default file, and must not migrate another database than the locked one. A variable may have
  // a deprecated name, which the tool would ignore.
  const environment = isFoundByTool(options) && !isVariable ? {} : handedOver(service, index, url);
  const variables = variablesOf(service, index);
  return { ...sourceOf(url, place, options), environment, variables, database: service.databases[index] };
}

/** Whether the tool reads the same file as we do, and uses the host in it. */
export function isFoundByTool({ serviceConfig, host }: TargetOptions): boolean {
  return serviceConfig === undefined && host.length === 0;
}

function handedOver(service: Service, index: number, url: string): Record<string, string> {
  return Object.fromEntries(variablesOf(service, index).map((name) => [name, asOslo(url)]));
}

function variablesOf({ databases, configFile }: Service, index: number): string[] {
  const names = (databases[index]?.url ?? []).map((place) => variableOf(configFile, place));
  return names.filter((name) => name !== undefined);
}

function sourceOf(url: string, place: string, options: OwnTls): Omit<Source, 'environment' | 'variables'> {
  let parsed: MysqlTarget;
  try {
    parsed = parseMysqlUrl(url);
  } catch (cause) {
    throw new ConfigError(`${place} is not a usable database URL: ${messageOf(cause)}`, { cause });
  }
  const { tls: urlTls, ...target } = parsed;
  const tls = ownTls(options, urlTls, place);
  return { target: { ...target, ...defined({ tls }) }, url, place, ...defined({ urlTls }) };
}
