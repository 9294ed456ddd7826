import { existsSync } from 'node:fs';
import { formatAddress } from '../../net/dial/address.ts';
import { askCheck } from './own-check.ts';
import { timeoutOf, type KollaAnswer, type KollaQuestion } from './curl/question.ts';

/** Kolla's value of MYSQL_TIMEOUT, which can't be configured. */
const TIMEOUT_MS = 10_000;
/**
 * The account that kolla-ansible creates for this check, without a password. Kolla's script is meant to use it, but
 * passes `-haproxy`.
 */
const USER = 'haproxy';
/** The client's default sockets: in Debian and Ubuntu, then in Rocky. */
const SOCKETS = ['/run/mysqld/mysqld.sock', '/var/lib/mysql/mysql.sock'];
const PORT = 3306;

/**
 * healthcheck_mariadb: checks that this Galera node is synced. Arguments are ignored. The variables are Kolla's and the
 * mysql client's.
 */
export function mariadbQuestion(_argv: readonly string[], env: NodeJS.ProcessEnv): KollaQuestion {
  const host = env['MYSQL_HOST'] || 'localhost';
  const isRemote = host !== 'localhost';
  return {
    label: 'healthcheck_mariadb',
    timeoutMs: timeoutOf(env, TIMEOUT_MS),
    ask: (signal, tell) => answerOf(isRemote ? addressOf(host, env) : socketOf(env), env, signal, tell),
  };
}

async function answerOf(
  place: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  tell?: (awaited: string) => void,
): Promise<KollaAnswer> {
  const { galera } = await import('../checks/galera.ts');
  const password = env['MYSQL_PWD'] || env['MYSQL_PASSWORD'];
  const words = [place, `--user=${env['MYSQL_USERNAME'] || USER}`];
  const verdict = await askCheck(galera, words, password ? { KOLLA_PROBE_PASSWORD: password } : {}, signal, tell);
  return { verdict, stdout: `MariaDB Galera Cluster Node is ${verdict.healthy ? 'synced.' : 'NOT synced'}\n` };
}

function addressOf(host: string, env: NodeJS.ProcessEnv): string {
  return formatAddress({ host, port: Number(env['MYSQL_TCP_PORT'] || PORT) });
}

function socketOf(env: NodeJS.ProcessEnv): string {
  return env['MYSQL_UNIX_PORT'] || (SOCKETS.find((path) => existsSync(path)) ?? SOCKETS[0] ?? '');
}
