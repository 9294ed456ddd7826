import { defined } from '../../core/defined.ts';
import { ConfigError, UsageError } from '../../core/errors.ts';
import type { MysqlTarget, MysqlTls } from '../../mysql/index.ts';
import { givenBy, readSecret } from '../../cli/secret-option.ts';
import { ADMIN_PASSWORD, type EnsureValues } from '../options/ensure.ts';
import type { Source } from '../server/target.ts';

/** The admin account on the service's server; undefined if none was given. */
export async function findAdmin(
  options: EnsureValues,
  { target, place, urlTls }: Source,
): Promise<MysqlTarget | undefined> {
  const { adminUser: user, adminSocket } = options;
  if (user === undefined) {
    const stray = strayOf(options);
    if (stray !== undefined) throw new UsageError(`${stray} is given without --admin-user`);
    return undefined;
  }
  // Not only when the server has been reached, which may take as long as --timeout.
  if (!hasCredentials(options, target.tls)) {
    throw new UsageError(
      '--admin-user is given without its password: set KOLLA_DB_SYNC_ADMIN_PASSWORD or give --admin-password-file; ' +
        'without a password use --admin-socket or --admin-cert-file',
    );
  }
  checkRequirement(options, urlTls, place);
  const password = await readSecret(ADMIN_PASSWORD, options);
  const tls = adminTls(options, target.tls);
  return {
    ...target,
    user,
    password: password ?? '',
    ...defined({ socket: adminSocket, tls }),
  };
}

/** The same account on the server of another database, which a socket of the first one's server does not lead to. */
export function adminAt(admin: MysqlTarget, target: MysqlTarget): MysqlTarget {
  const { host, port, user, password, tls } = admin;
  const socket = host === target.host && port === target.port ? admin.socket : undefined;
  return {
    ...target,
    user,
    password,
    ...defined({ socket, tls }),
  };
}

/** A server may accept an account without a password over its socket, or with a client certificate. */
function hasCredentials(options: EnsureValues, tls: MysqlTls | undefined): boolean {
  const { adminSocket, adminCertFile } = options;
  const given = givenBy(ADMIN_PASSWORD, options);
  return [given, adminSocket, adminCertFile, tls?.certFile].some((one) => one !== undefined);
}

function strayOf(options: EnsureValues): string | undefined {
  const given: [unknown, string][] = [
    [options.adminSocket, '--admin-socket'],
    [options.adminCertFile, '--admin-cert-file'],
    [options.adminKeyFile, '--admin-key-file'],
    [options.require, '--require'],
    [options.rotate || undefined, '--rotate'],
  ];
  return givenBy(ADMIN_PASSWORD, options) ?? given.find(([value]) => value !== undefined)?.[1];
}

/** Rejects TLS requirements that the URL of the service's account does not meet. */
function checkRequirement({ require }: EnsureValues, tls: MysqlTls | undefined, place: string): void {
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

/** TLS of the admin's sessions, with the admin's own client certificate. */
function adminTls({ adminCertFile: certFile, adminKeyFile: keyFile }: EnsureValues, tls: MysqlTls | undefined) {
  if (keyFile !== undefined && certFile === undefined) {
    throw new UsageError('--admin-key-file is given without --admin-cert-file');
  }
  if (certFile === undefined) return tls;
  if (tls === undefined) throw new UsageError('--admin-cert-file is given without TLS: give --tls verify as well');
  const { certFile: _certFile, keyFile: _keyFile, ...rest } = tls;
  return { ...rest, certFile, ...defined({ keyFile }) };
}
