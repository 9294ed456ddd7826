import { defined } from '../core/defined.ts';
import type { Trust } from '../cli/tls-option.ts';

/** TLS settings of a connection. Files are in PEM. */
export interface MysqlTls {
  /** Whether a CA in caFile must have signed the server's certificate. */
  readonly isVerified: boolean;
  /** If undefined, the CAs that Node ships are used. */
  readonly caFile?: string;
  readonly certFile?: string;
  /** If undefined, the key is in certFile. */
  readonly keyFile?: string;
  /** Whether the certificate must match the host's name or address. */
  readonly verifyIdentity: boolean;
}

/** TLS settings for `--tls`. */
export function mysqlTlsOf({ caFile, insecure }: Trust): MysqlTls {
  return { isVerified: !insecure, ...defined({ caFile }), verifyIdentity: !insecure };
}

const NAMES = [
  'ssl_ca',
  'ssl_cert',
  'ssl_key',
  'ssl_capath',
  'ssl_cipher',
  'ssl_check_hostname',
  'ssl_verify_cert',
  'ssl_verify_identity',
] as const;
type Name = (typeof NAMES)[number];

/**
 * The `ssl_*` parameters of a SQLAlchemy URL: any of them enables TLS. As in PyMySQL, SQLAlchemy's default driver, a CA
 * verifies certificate and name, unless `ssl_check_hostname=false`.
 * @throws RangeError for parameters that would make TLS weaker than the URL suggests
 */
export function tlsOf(parameters: ReadonlyMap<string, string>): MysqlTls | undefined {
  const given = (name: Name) => parameters.get(name) || undefined;
  const isOff = (name: Name) => /^(?:false|no|off|n|f|0)$/i.test(given(name) ?? '');
  const isOn = (name: Name) => given(name) !== undefined && !isOff(name);
  if (!NAMES.some((name) => given(name) !== undefined) || isTrue(parameters.get('ssl_disabled'))) return undefined;
  const [caFile, certFile, keyFile] = [given('ssl_ca'), given('ssl_cert'), given('ssl_key')];
  if (given('ssl_capath') !== undefined) throw new RangeError('ssl_capath is not supported: name one file by ssl_ca');
  if (keyFile !== undefined && certFile === undefined) throw new RangeError('it has an ssl_key, but no ssl_cert');
  if (caFile === undefined && (['ssl_check_hostname', 'ssl_verify_cert', 'ssl_verify_identity'] as const).some(isOn)) {
    throw new RangeError('it asks to verify the server, which needs ssl_ca=FILE with the CA that signed it');
  }
  const isVerified = caFile !== undefined && !isOff('ssl_verify_cert');
  return {
    isVerified,
    ...(isVerified ? { caFile } : {}),
    ...defined({ certFile, keyFile }),
    verifyIdentity: isVerified && !isOff('ssl_check_hostname') && !isOff('ssl_verify_identity'),
  };
}

function isTrue(word = ''): boolean {
  return /^(?:true|yes|on|y|t|1)$/i.test(word);
}
