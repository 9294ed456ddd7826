/** Logins that are refused, with the fix. */
import { UnavailableError } from '../core/errors.ts';
import { oneLine } from '../core/one-line.ts';
import { placeOfTarget, type MysqlTarget } from './url.ts';

/** The server asks for the password itself, and nothing shows that it is the right server. */
export function passwordRefused(plugin: string, target: MysqlTarget): UnavailableError {
  return new UnavailableError(
    `the server at ${placeOfTarget(target)} requests the password of ${target.user} itself (${plugin}), ` +
      'which is sent only to a server verified by TLS: verify it (--tls verify, or ssl_ca in the URL), use ' +
      'a socket file, or give the account mysql_native_password',
  );
}

/** The account logs in by a plugin that we do not have, such as MariaDB's PARSEC and ed25519. */
export function pluginUnsupported(plugin: string, target: MysqlTarget, cause?: unknown): UnavailableError {
  const { user } = target;
  return new UnavailableError(
    `the account ${user} of the server at ${placeOfTarget(target)} logs in by ${oneLine(plugin)}, which is not supported ` +
      `here: ALTER USER '${user}'@'HOST' IDENTIFIED VIA mysql_native_password USING PASSWORD('...')`,
    { cause },
  );
}
