/**
 * A server may request the password itself instead of a proof: in clear text (mysql_clear_password, and the SHA-2
 * plugins over TLS), or encrypted with a key it has just sent (the SHA-2 plugins without TLS). An impostor does so too.
 */
import type { ConnectionOptions } from 'mysql2/promise';
import type { UnavailableError } from '../core/errors.ts';
import { cachingProof, NONCE_BYTES } from './proofs.ts';
import { passwordRefused, pluginUnsupported } from './refusals.ts';
import type { MysqlTarget } from './url.ts';

type AuthPlugin = NonNullable<ConnectionOptions['authPlugins']>[string];

const CACHING = 'caching_sha2_password';
/** The server has cached the account and has accepted our scramble. */
const IS_CACHED = 3;

interface Login {
  /** The plugin for mysql2. */
  readonly options: Pick<ConnectionOptions, 'authPlugins' | 'password' | 'socketPath'>;
  /** Set if the server requested the password itself and it was refused. */
  readonly refusal: () => UnavailableError | undefined;
}

/**
 * The login for a target. A server that TLS has verified, or that is reached over a Unix socket, may request the
 * password; any other server gets only scrambles.
 */
export function loginFor(target: MysqlTarget): Login {
  const { password, socket, tls } = target;
  if (socket !== undefined) return { options: { password, socketPath: socket }, refusal: () => undefined };
  if (tls?.isVerified === true) return { options: { password }, refusal: () => undefined };
  let refusal: UnavailableError | undefined;
  // mysql2 marks errors thrown here as fatal, which isPassing() would take for a transient error: connect() throws the
  // refusal instead.
  const refuse = (plugin: string): never => {
    refusal = passwordRefused(plugin, target);
    throw new Error(refusal.message);
  };
  const refusing = (plugin: string): AuthPlugin => {
    return () => () => refuse(plugin);
  };
  const caching: AuthPlugin = () => {
    let isProven = false;
    return (data) => {
      if (isProven) return data.length === 1 && data[0] === IS_CACHED ? null : refuse(CACHING);
      isProven = true;
      return cachingProof(Buffer.from(password), data.subarray(0, NONCE_BYTES));
    };
  };
  // Our own plugin also prevents mysql2 from responding at once to a greeting that names it, which over TLS would send
  // the password.
  const authPlugins = {
    [CACHING]: caching,
    sha256_password: refusing('sha256_password'),
    mysql_clear_password: refusing('mysql_clear_password'),
  };
  return { options: { password, authPlugins }, refusal: () => refusal };
}

const UNKNOWN_PLUGIN = /^Server requests authentication using unknown plugin (.*)\. See /s;

/**
 * Explains that the account logs in by a plugin that mysql2 does not have, such as MariaDB's PARSEC and ed25519; undefined
 * for any other error.
 */
export function unknownPlugin(error: unknown, target: MysqlTarget): UnavailableError | undefined {
  const [, plugin] = UNKNOWN_PLUGIN.exec((error as Error).message) ?? [];
  return plugin === undefined ? undefined : pluginUnsupported(plugin, target, error);
}
