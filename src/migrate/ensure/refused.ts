import { NotPermittedError } from '../../core/errors.ts';
import { quoteAccount, type MysqlSession, type MysqlTarget } from '../../mysql/index.ts';
import { accountAt, accountsOf, type Account } from './accounts.ts';

/** Why the server rejected the service. */
interface Refusal {
  /** Another password would help. */
  readonly isPassword: boolean;
  readonly error: NotPermittedError;
}

interface Asked {
  readonly accountHost: readonly string[];
  /** Objects that existed before. */
  readonly existed: readonly string[];
}

/**
 * The server reports the same error (1045) for a wrong password, for missing TLS or client certificate, and for a login
 * matched to another account: the admin can tell them apart.
 * @param cause the error of the login
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
    if (missing !== undefined) return because(`account ${name} is refused: it ${missing}`);
  }
  if (tls === undefined && (await wantsTls(admin))) {
    return because(
      `account ${user} is refused: the server wants TLS of everybody; add ssl_ca=FILE to the database URL`,
    );
  }
  if (existed.length > 0) {
    return because(
      `account ${user} was there before, with another password, which is never changed silently: put the right one ` +
        "into the service's database URL, or give --rotate to set this one, with which replicas that have the old one " +
        "can't log in any more",
      true,
    );
  }
  const foreign = accounts.filter(({ host }) => accountAt(own, host) === undefined);
  const others = foreign.map(({ host }) => quoteAccount(user, host)).join(', ');
  return because(
    `account ${user} has just been made and is refused: the server takes it for another one, ` +
      `${others === '' ? 'perhaps one without a name' : others}; give that --account-host, or DROP that account`,
  );
}

function missingFor({ require }: Account, { tls }: MysqlTarget): string | undefined {
  if (require === 'none') return undefined;
  if (tls === undefined) return 'must use TLS, and the database URL has none: add ssl_ca=FILE to it';
  if (require === 'ssl') return undefined;
  const certificate = require === 'x509' ? 'a client certificate' : 'the client certificate that its REQUIRE names';
  if (tls.certFile === undefined) {
    return `must show ${certificate}, and the database URL has none: add ssl_cert=FILE and ssl_key=FILE to it`;
  }
  return require === 'specified' ? `must show ${certificate}, and ${tls.certFile} may be another one` : undefined;
}

async function wantsTls(admin: MysqlSession): Promise<boolean> {
  const [row] = await admin.rows("SHOW GLOBAL VARIABLES LIKE 'require_secure_transport'");
  return row?.['Value'] === 'ON';
}
