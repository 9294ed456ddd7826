import { UsageError } from '../../core/errors.ts';
import type { RowSource } from '../../mysql/session.ts';
import { check } from '../ask/check.ts';
import { MYSQL_OPERAND, MYSQL_OPTIONS, mysqlServer, type MysqlServer } from '../remote/mysql.ts';
import { healthyAs, unhealthy, type Question, type CheckResult } from '../ask/verdict.ts';

/** Checks with SQL that this Galera node is usable, since a node without quorum still accepts logins and `SELECT 1`. */
export const galera = check({
  word: 'galera',
  summary: 'Checks that this Galera node is synced and in the Primary component.',
  description:
    'A healthy node is ready (wsrep_ready), in the Primary component, Synced, and not configured to ' +
    'reject queries. The `USAGE` privilege is enough. --defaults-file accepts the file that kolla-ansible ' +
    "writes for MariaDB's own healthcheck.sh.",
  operands: [MYSQL_OPERAND],
  options: [
    ...MYSQL_OPTIONS,
    {
      flag: 'allow-donor',
      type: 'boolean',
      env: 'KOLLA_PROBE_ALLOW_DONOR',
      help: 'treat a donor node as healthy',
      details: 'For clusters whose state transfers do not block (mariabackup).',
      example: 'true',
    },
    {
      flag: 'allow-desync',
      type: 'boolean',
      env: 'KOLLA_PROBE_ALLOW_DESYNC',
      help: 'treat a desynced node as healthy, though it may lag',
      details: 'wsrep_desync=ON, as during a backup or a schema change.',
      example: 'true',
    },
    {
      flag: 'unless-disconnected',
      type: 'boolean',
      env: 'KOLLA_PROBE_UNLESS_DISCONNECTED',
      help: 'fail only if disconnected from the cluster, for liveness',
      details:
        'Such a node does not reconnect until it is restarted. A partitioned, joining, starting or frozen node stays healthy: a restart would not help.',
      example: 'true',
    },
  ],
  examples: [
    {
      line: 'kolla-probe galera --defaults-file /etc/mysql/healthcheck.cnf --unless-disconnected',
      does: 'liveness: unhealthy once the node has disconnected from its cluster',
    },
    {
      line: 'kolla-probe galera 127.0.0.1 --user healthcheck --password-file /run/secrets/healthcheck',
      does: 'healthy if this node is Synced and in the Primary component',
    },
    {
      line: 'kolla-probe galera --defaults-file /etc/mysql/healthcheck.cnf --allow-donor',
      does: "with the login from kolla-ansible's file, over the local socket; donors are healthy",
    },
  ],
  async prepare({ operands: [text], options }) {
    const server = await mysqlServer('galera', text, options);
    if (options.user === undefined && options.defaultsFile === undefined) {
      throw new UsageError('galera: the state requires a login: give --user and --password-file, or --defaults-file');
    }
    const question = { subject: `galera ${server.text}`, hosts: server.hosts };
    const greeted = () => unhealthy('its state is visible to users only, and no file names one');
    if (options.unlessDisconnected) return { ...question, ...unlessDisconnected(server, greeted) };
    return {
      ...question,
      async ask(signal, tell = () => {}) {
        const { askMysql } = await import('../remote/mysql-session.ts');
        const { galeraVerdict } = await import('../remote/galera.ts');
        const inside = (session: RowSource) => galeraVerdict(session, options);
        return await askMysql(server, { greeted, inside }, signal, tell);
      },
    };
  },
});

/** Healthy while the state is unknown, because there is no login yet or no response. */
function unlessDisconnected(server: MysqlServer, greeted: () => CheckResult): Pick<Question, 'ask' | 'whenLate'> {
  return {
    whenLate: healthyAs('no answer'),
    async ask(signal, tell = () => {}) {
      const { askMysql } = await import('../remote/mysql-session.ts');
      const { disconnectedVerdict } = await import('../remote/galera.ts');
      let seen: CheckResult | undefined;
      const inside = async (session: RowSource) => (seen = await disconnectedVerdict(session));
      const verdict = await askMysql(server, { greeted, inside }, signal, tell);
      return seen ?? (verdict.healthy ? verdict : healthyAs(`unknown: ${verdict.reason}`));
    },
  };
}
