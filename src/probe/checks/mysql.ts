import type { RowSource } from '../../mysql/session.ts';
import type { Answer } from '../../net/protocols/answer.ts';
import { check } from '../ask/check.ts';
import { MYSQL_OPERAND, MYSQL_OPTIONS, mysqlServer } from '../remote/mysql.ts';
import { healthyAs, unhealthy } from '../ask/verdict.ts';

/** Checks that MariaDB or MySQL accepts a login or, without one, greets. Galera's state is another check. */
export const mysql = check({
  word: 'mysql',
  summary: 'Checks that MariaDB or MySQL accepts connections and logins.',
  description:
    'With a login it logs in and runs one query; the `USAGE` privilege is enough. Without a login it ' +
    "waits for the server's greeting. A Galera node without quorum passes this check although it rejects all " +
    'table access, unless its wsrep_sync_wait is set: use the `galera` check.',
  operands: [MYSQL_OPERAND],
  options: MYSQL_OPTIONS,
  examples: [
    {
      line: 'kolla-probe mysql 127.0.0.1 --user healthcheck --password-file /run/secrets/healthcheck',
      does: 'healthy if the server accepts the login and responds',
    },
    { line: 'kolla-probe mysql mariadb:3306', does: 'healthy if the server sends its greeting' },
  ],
  async prepare({ operands: [text], options }) {
    const server = await mysqlServer('mysql', text, options);
    return {
      subject: `mysql ${server.text}`,
      hosts: server.hosts,
      async ask(signal, tell = () => {}) {
        const { askMysql } = await import('../remote/mysql-session.ts');
        const judges = {
          greeted: ({ isGood, says }: Answer) => (isGood ? healthyAs(says) : unhealthy(says)),
          inside: async (session: RowSource, user: string) => {
            const [row] = await session.rows('SELECT VERSION() AS version');
            return healthyAs(`${String(row?.['version'])}, logged in as '${user}'`);
          },
        };
        return await askMysql(server, judges, signal, tell);
      },
    };
  },
});
