import { defined } from '../../core/defined.ts';
import { ConfigError, UsageError } from '../../core/errors.ts';
import type { MysqlTarget, MysqlTls } from '../../mysql/index.ts';
import type { EnsureValues } from './options.ts';
import { readSecret } from '../target/read-text.ts';
import type { Source } from '../target/target.ts';

/** The admin account on the service's server; undefined if none was given. */
export async function findAdmin(options: EnsureValues, { target, place }: Source): Promise<MysqlTarget | undefined> {
  const { adminUser: user, adminPassword, adminPasswordFile, adminSocket } = options;
  if (user === undefined) {
    const stray = strayOf(options);
    if (stray !== undefined) throw new UsageError(`${stray} is given without --admin-user`);
    return undefined;
  }
  if (adminPassword !== undefined && adminPasswordFile !== undefined) {
    throw new UsageError('KOLLA_DB_SYNC_ADMIN_PASSWORD and --admin-password-file are both given: leave one out');
  }
  checkRequirement(options, target, place);
  const password =
    adminPasswordFile === undefined ? adminPassword : await readSecret(adminPasswordFile, '--admin-password-file');
  const tls = adminTls(options, target.tls);
  return {
    ...target,
    user,
    password: password ?? '',
    ...defined({ socket: adminSocket, tls }),
  };
}

/** The same account on the server of another database. */
export function adminAt({ user, password, socket, tls }: MysqlTarget, target: MysqlTarget): MysqlTarget {
  return {
    ...target,
    user,
    password,
    ...defined({ socket, tls }),
  };
}

function strayOf(options: EnsureValues): string | undefined {
  const given: [unknown, string][] = [
    [options.adminPassword, 'KOLLA_DB_SYNC_ADMIN_PASSWORD'],
    [options.adminPasswordFile, '--admin-password-file'],
    [options.adminSocket, '--admin-socket'],
    [options.adminTlsCa ?? options.adminTlsCert ?? options.adminTlsKey, '--admin-tls-...'],
    [options.require, '--require'],
    [options.rotate || undefined, '--rotate'],
  ];
  return given.find(([value]) => value !== undefined)?.[1];
}

/** Rejects TLS requirements that the account's own URL does not meet. */
function checkRequirement({ require }: EnsureValues, { tls }: MysqlTarget, place: string): void {
  const missing =
    require === undefined || require === 'none'
      ? undefined
      : tls === undefined
        ? 'no TLS: add ?ssl_ca=FILE'
        : require === 'x509' && tls.certFile === undefined
          ? 'no client certificate: add ssl_cert=FILE and ssl_key=FILE'
          : undefined;
  if (missing !== undefined)
    throw new ConfigError(`--require ${require}, but the database URL (${place}) has ${missing}`);
}

/** The TLS options of the service's URL, overridden by those of the admin. */
function adminTls({ adminTlsCa, adminTlsCert, adminTlsKey }: EnsureValues, url: MysqlTls | undefined) {
  if (adminTlsKey !== undefined && adminTlsCert === undefined) {
    throw new UsageError('--admin-tls-key is given without --admin-tls-cert');
  }
  if (adminTlsCa === undefined && adminTlsCert === undefined) return url;
  const caFile = adminTlsCa ?? url?.caFile;
  const { certFile, keyFile } =
    adminTlsCert === undefined ? (url ?? {}) : { certFile: adminTlsCert, keyFile: adminTlsKey };
  const isVerified = caFile !== undefined;
  const isAnyNameGood = url?.caFile !== undefined && !url.verifyIdentity;
  return {
    isVerified,
    ...defined({ caFile, certFile, keyFile }),
    verifyIdentity: isVerified && !isAnyNameGood,
  };
}
