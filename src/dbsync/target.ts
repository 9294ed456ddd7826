import { readFile } from 'node:fs/promises';
import { ConfigError, UsageError, messageOf } from '../cli/errors.ts';
import { suggestion } from '../cli/nearest.ts';
import { parseMysqlUrl, type MysqlTarget } from '../platform/mysql/index.ts';
import { osloOption } from '../platform/oslo-ini.ts';
import { SERVICES, serviceNamed, type Service } from '../services/index.ts';
import type { SyncOptions, TargetOptions } from './options.ts';

export interface Source {
  readonly target: MysqlTarget;
  /** Where the URL was found, for messages. */
  readonly place: string;
  /** The URL itself when it was given to us rather than to the service. Never shown. */
  readonly given?: string;
}

/** The service's data. UsageError for a name that is not in the table. */
export function serviceOf(name: string): Service {
  const service = serviceNamed(name);
  if (service !== undefined) return service;
  const names = SERVICES.map((known) => known.name);
  throw new UsageError(`no service '${name}'${suggestion(name, names)}`);
}

/** The database URL: given, in a file, or in the service's configuration. ConfigError names the place and the fix. */
export async function findSource(service: Service, options: TargetOptions): Promise<Source> {
  const { connection, connectionFile } = options;
  if (connection !== undefined && connectionFile !== undefined) {
    throw new UsageError('KOLLA_DB_SYNC_CONNECTION and --connection-file are both given: leave one out');
  }
  if (connection !== undefined) return sourceOf(connection, 'KOLLA_DB_SYNC_CONNECTION', connection);
  if (connectionFile !== undefined) {
    const given = await readSecret(connectionFile, '--connection-file');
    return sourceOf(given, connectionFile, given);
  }
  const file = options.serviceConfig ?? service.configFile;
  const { section, key } = service.databases[0];
  const place = `${file}: [${section}] ${key}`;
  const text = await readText(
    file,
    `has the service's database URL ([${section}] ${key}); or set KOLLA_DB_SYNC_CONNECTION`,
  );
  let url: string | undefined;
  try {
    url = osloOption(text, section, key);
  } catch (cause) {
    throw new ConfigError(`${file}: ${messageOf(cause)}`, { cause });
  }
  if (url === undefined || url === '') throw new ConfigError(`${place} is not set: the database URL belongs there`);
  return sourceOf(url, place);
}

/** The account that may create things, at the same server; undefined when none was given. */
export async function findAdmin(options: SyncOptions, { target }: Source): Promise<MysqlTarget | undefined> {
  const { adminUser: user, adminPassword, adminPasswordFile, adminSocket } = options;
  if (user === undefined) {
    const stray = [
      [adminPassword, 'KOLLA_DB_SYNC_ADMIN_PASSWORD'],
      [adminPasswordFile, '--admin-password-file'],
      [adminSocket, '--admin-socket'],
    ].find(([value]) => value !== undefined);
    if (stray !== undefined) throw new UsageError(`${stray[1]} is given without --admin-user`);
    return undefined;
  }
  if (adminPassword !== undefined && adminPasswordFile !== undefined) {
    throw new UsageError('KOLLA_DB_SYNC_ADMIN_PASSWORD and --admin-password-file are both given: leave one out');
  }
  const password =
    adminPasswordFile === undefined ? adminPassword : await readSecret(adminPasswordFile, '--admin-password-file');
  return { ...target, user, password: password ?? '', ...(adminSocket === undefined ? {} : { socket: adminSocket }) };
}

function sourceOf(url: string, place: string, given?: string): Source {
  try {
    return { target: parseMysqlUrl(url), place, ...(given === undefined ? {} : { given }) };
  } catch (cause) {
    throw new ConfigError(`${place} is not a usable database URL: ${messageOf(cause)}`, { cause });
  }
}

/** A secret's file often ends with a line break that is not part of it. */
async function readSecret(file: string, option: string): Promise<string> {
  const secret = (await readText(file, `is what ${option} names`)).replace(/\r?\n$/, '');
  if (secret === '') throw new ConfigError(`${file}, which ${option} names, is empty`);
  return secret;
}

async function readText(file: string, why: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new ConfigError(`cannot read ${file}, which ${why}: ${messageOf(cause)}`, { cause });
  }
}
