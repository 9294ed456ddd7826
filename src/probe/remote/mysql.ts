import { readFileSync } from 'node:fs';
import { defined } from '../../core/defined.ts';
import { ConfigError, UsageError, messageOf } from '../../core/errors.ts';
import type { Option, Values } from '../../cli/option.ts';
import { tlsOption, trustOf } from '../../cli/tls-option.ts';
import { formatAddress } from '../../net/dial/address.ts';
import type { Defaults } from '../../mysql/defaults-file.ts';
import { mysqlTlsOf, type MysqlTls } from '../../mysql/url-tls.ts';
import type { MysqlTarget } from '../../mysql/url.ts';
import { LOGIN_OPTIONS, readLogin, requireUser } from './login.ts';
import { serverOf } from './server.ts';
import { CA_FILE_OPTION } from './tls.ts';

export const MYSQL_OPERAND = {
  name: 'HOST[:PORT]',
  help: "address, or path of a Unix socket (default: from --defaults-file, else the client's default socket)",
  optional: true,
} as const;

export const MYSQL_OPTIONS = [
  ...LOGIN_OPTIONS,
  {
    flag: 'defaults-file',
    type: 'path',
    env: 'KOLLA_PROBE_DEFAULTS_FILE',
    help: 'MySQL option file with the login, read on every check',
    details: 'The groups [client] and [mariadb-client] are read.',
    example: '/etc/mysql/healthcheck.cnf',
  },
  tlsOption('KOLLA_PROBE_TLS', 'from --defaults-file, else off'),
  CA_FILE_OPTION,
] as const satisfies readonly Option[];

export type MysqlValues = Values<typeof MYSQL_OPTIONS>;

/** The address of a server, as far as the arguments define it. */
type Place = Pick<MysqlTarget, 'host' | 'port' | 'socket'>;

export interface MysqlServer {
  /** `127.0.0.1:3306`, or the path of a socket. */
  readonly text: string;
  readonly hosts: readonly string[];
  /**
   * Address, credentials and TLS verification. `user` is '' if there is no login.
   * @throws ConfigError if a file is unreadable or malformed
   */
  target(): Promise<MysqlTarget>;
}

/** MariaDB's default socket in Debian and Ubuntu, and in Kolla's images. */
const SOCKET = '/run/mysqld/mysqld.sock';
const PORT = 3306;

/**
 * Validates the arguments of a MariaDB or MySQL check.
 * @throws UsageError; ConfigError if only a file defines the address, and it is unreadable
 */
export async function mysqlServer(word: string, text: string | undefined, options: MysqlValues): Promise<MysqlServer> {
  const { defaultsFile, user, password, passwordFile, tls: mode } = options;
  if (defaultsFile !== undefined && (user ?? password ?? passwordFile) !== undefined) {
    throw new UsageError(`${word}: --defaults-file and --user or a password are both given: use only one`);
  }
  if (defaultsFile === undefined) requireUser(word, options);
  const trust = trustOf(options, 'off', `${word}: `);
  const tls = trust && mysqlTlsOf(trust);
  const place = text === undefined ? placeIn(await readDefaults(defaultsFile)) : placeOf(word, text);
  return {
    text: place.socket ?? formatAddress(place),
    hosts: place.socket === undefined ? [place.host] : [],
    async target() {
      const defaults = await readDefaults(defaultsFile);
      const login = defaultsFile === undefined ? await readLogin(options) : undefined;
      const security = mode === undefined ? tlsIn(defaults) : tls;
      return {
        ...place,
        user: login?.user ?? defaults.get('user') ?? '',
        password: login?.password ?? defaults.get('password') ?? '',
        database: '',
        ...defined({ tls: security }),
      };
    },
  };
}

function placeOf(word: string, text: string): Place {
  return text.startsWith('/') ? { host: 'localhost', port: PORT, socket: text } : serverOf(word, text, PORT);
}

/** The address in an option file. As in the client, `localhost` means the socket unless `protocol=tcp` is set. */
function placeIn(defaults: Defaults): Place {
  const host = defaults.get('host') ?? 'localhost';
  const port = Number(defaults.get('port') ?? PORT);
  const isTcp = host !== 'localhost' || defaults.get('protocol')?.toLowerCase() === 'tcp';
  return isTcp ? { host, port } : { host, port, socket: defaults.get('socket') ?? SOCKET };
}

function tlsIn(defaults: Defaults): MysqlTls | undefined {
  const [caFile, certFile, keyFile] = [defaults.get('ssl-ca'), defaults.get('ssl-cert'), defaults.get('ssl-key')];
  const isOff = /^(?:0|off|false)$/i.test(defaults.get('ssl') ?? '') || defaults.has('skip-ssl');
  if (isOff || (caFile === undefined && certFile === undefined && !defaults.has('ssl'))) return undefined;
  const isVerified = caFile !== undefined;
  return {
    isVerified,
    ...defined({ caFile, certFile, keyFile }),
    verifyIdentity: isVerified && !/^(?:0|off|false)$/i.test(defaults.get('ssl-verify-server-cert') ?? ''),
  };
}

async function readDefaults(file: string | undefined): Promise<Defaults> {
  if (file === undefined) return new Map();
  // Loaded lazily, like everything that validation does not need.
  const { parseDefaults } = await import('../../mysql/defaults-file.ts');
  try {
    return parseDefaults(readFileSync(file, 'utf8'));
  } catch (cause) {
    const what =
      cause instanceof RangeError ? `${file} is not an option file` : `cannot read ${file}, given by --defaults-file`;
    throw new ConfigError(`${what}: ${messageOf(cause)}`, { cause });
  }
}
