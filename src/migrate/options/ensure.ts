import { UsageError } from '../../core/errors.ts';
import type { Option, Values } from '../../cli/option.ts';
import { secretOption } from '../../cli/secret-option.ts';

/** TLS requirements for an account. */
const REQUIREMENTS = ['none', 'ssl', 'x509'] as const;
export type Requirement = (typeof REQUIREMENTS)[number];

export const ADMIN_PASSWORD = secretOption({
  flag: 'admin-password',
  env: 'KOLLA_DB_SYNC_ADMIN_PASSWORD',
  help: 'password of the admin account',
  example: 'PASSWORD',
  file: { help: "file with the admin account's password", example: '/run/secrets/mariadb-root' },
});

/** Options for creating databases, accounts and grants, used by a migration and by `ensure`. */
export const ENSURE_OPTIONS = [
  {
    flag: 'admin-user',
    type: 'string',
    env: 'KOLLA_DB_SYNC_ADMIN_USER',
    help: 'account that creates database, account and grants',
    details: 'Without it they are not changed.',
    example: 'root',
  },
  ...ADMIN_PASSWORD,
  {
    flag: 'admin-socket',
    type: 'path',
    env: 'KOLLA_DB_SYNC_ADMIN_SOCKET',
    help: 'Unix socket for the admin account',
    details: 'For servers that accept root only there.',
    example: '/var/lib/mysql/mysql.sock',
  },
  {
    flag: 'admin-cert-file',
    type: 'path',
    env: 'KOLLA_DB_SYNC_ADMIN_CERT_FILE',
    help: "client certificate for the admin account (default: the URL's ssl_cert)",
    example: '/etc/pki/mariadb/admin.pem',
  },
  {
    flag: 'admin-key-file',
    type: 'path',
    env: 'KOLLA_DB_SYNC_ADMIN_KEY_FILE',
    help: 'private key of that certificate (default: the same file)',
    example: '/etc/pki/mariadb/admin.key',
  },
  {
    flag: 'account-host',
    type: 'string',
    env: 'KOLLA_DB_SYNC_ACCOUNT_HOST',
    default: '%',
    repeat: true,
    help: "host pattern of the service's account, such as 10.0.0.%",
    details: 'One account is created per pattern.',
    example: '10.0.0.%',
  },
  {
    flag: 'require',
    type: 'choice',
    values: REQUIREMENTS,
    env: 'KOLLA_DB_SYNC_REQUIRE',
    help: 'TLS requirement of the account',
    details:
      'ssl requires TLS, x509 a client certificate. If not set, new accounts require neither and existing ones are not changed.',
    example: 'ssl',
  },
  {
    flag: 'rotate',
    type: 'boolean',
    env: 'KOLLA_DB_SYNC_ROTATE',
    help: "change the account's password to the URL's if rejected",
    details: 'Replicas with the old password can no longer log in.',
    example: 'true',
  },
  {
    flag: 'charset',
    type: 'string',
    env: 'KOLLA_DB_SYNC_CHARSET',
    default: 'utf8mb3',
    help: 'character set of a new database',
    example: 'utf8mb4',
  },
  {
    flag: 'collation',
    type: 'string',
    env: 'KOLLA_DB_SYNC_COLLATION',
    default: 'utf8mb3_general_ci',
    help: 'collation of a new database',
    example: 'utf8mb4_general_ci',
  },
] as const satisfies readonly Option[];

export type EnsureValues = Values<typeof ENSURE_OPTIONS>;

/** Options for the desired state of database, account and grants. */
export interface EnsureOptions {
  /** Host patterns; an account is created for each. */
  readonly accountHost: readonly string[];
  /** If undefined, existing accounts are not changed. */
  readonly require?: Requirement | undefined;
  readonly rotate: boolean;
  readonly charset: string;
  readonly collation: string;
}

/** Throws UsageError for values that no server accepts. */
export function checkEnsureOptions({ charset, collation, accountHost }: EnsureValues): void {
  for (const [flag, word] of Object.entries({ charset, collation })) {
    if (!/^\w+$/.test(word)) throw new UsageError(`--${flag}: '${word}' is not the name of one`);
  }
  for (const host of accountHost) {
    if (!/^[^\s@'"`,]{1,255}$/.test(host)) {
      throw new UsageError(`--account-host: '${host}' is not the host part of an account, such as % or 10.0.0.%`);
    }
  }
}
