import { NotPermittedError } from '../../core/errors.ts';
import { quoteAccount, type MysqlSession, type MysqlTarget } from '../../mysql/index.ts';
import { accountAt, accountsOf, type Account } from './accounts.ts';

/** The reason why the server rejected the service. */
interface Refusal {
  /** Whether the password was wrong. */
  readonly isPassword: boolean;
  readonly error: NotPermittedError;
}

interface Asked {
  readonly accountHost: readonly string[];
  /** Host patterns of accounts that existed before. */
  readonly existed: readonly string[];
}

/**
 * The server reports the same error (1045) for a wrong password, for missing TLS or client certificate, and for a login
 * matched to another account: the admin can tell them apart.
 * @param cause the error that the login returned
 */
export async function refusedFor(
  admin: MysqlSession,
  target: MysqlTarget,
  { accountHost, existed }: Asked,
  cause: unknown,
): Promise<Refusal> {
  const { user, tls } = target;
  const because = (message: string, isPassword = false): Refusal => ({
    isPassword,
    error: new NotPermittedError(message, { cause }),
  });
  const accounts = (await accountsOf(admin, user)) ?? [];
  const own = accountHost.flatMap((host) => accountAt(accounts, host) ?? []);
  for (const account of own) {
    const missing = missingFor(account, target);
    const name = quoteAccount(user, account.host);
    if (missing !== undefined) return because(`account ${name} is rejected: it ${missing}`);
  }
  if (tls === undefined && (await wantsTls(admin))) {
    return because(
      `account ${user} is rejected: the server requires TLS for all accounts; add ssl_ca=FILE to the database URL`,
    );
  }
  if (existed.length > 0) {
    return because(
      `account ${user} existed before, with another password, which is never changed silently: correct ` +
        "the service's database URL, or give --rotate to set its password; replicas with the old one can " +
        'then no longer log in',
      true,
    );
  }
  const foreign = accounts.filter(({ host }) => accountAt(own, host) === undefined);
  const others = foreign.map(({ host }) => quoteAccount(user, host)).join(', ');
  return because(
    `account ${user} was just created and is rejected: the server matches another account, ` +
      `${others === '' ? 'perhaps an anonymous one' : others}; give its host as --account-host, or DROP it`,
  );
}

function missingFor({ require }: Account, { tls }: MysqlTarget): string | undefined {
  if (require === 'none') return undefined;
  if (tls === undefined) return 'must use TLS, and the database URL has none: add ssl_ca=FILE to it';
  if (require === 'ssl') return undefined;
  const certificate = require === 'x509' ? 'a client certificate' : 'the client certificate of its REQUIRE';
  if (tls.certFile === undefined) {
    return `must present ${certificate}, and the database URL has none: add ssl_cert=FILE and ssl_key=FILE to it`;
  }
  return require === 'specified' ? `must present ${certificate}, and ${tls.certFile} may be another one` : undefined;
}

async function wantsTls(admin: MysqlSession): Promise<boolean> {
  const [row] = await admin.rows("SHOW GLOBAL VARIABLES LIKE 'require_secure_transport'");
  return row?.['Value'] === 'ON';
}
