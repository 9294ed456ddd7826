/**
 * A real MySQL, which MariaDB is not: its accounts log in by caching_sha2_password.
 *
 *   programs (Debian's package of sid, unpacked, on its own libc) -> a copy of an initial data directory -> mysqld on a
 *     free port and a socket -> root's password from its init file
 *
 * It runs as the test's user.
 */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { messageOf } from '../../src/core/errors.ts';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { suitePrograms } from '../../tools/debian-programs.ts';
import { inMemory, privateDirectory } from '../../tools/directory.ts';
import { freePort } from '../../tools/port.ts';
import { must, start, tailOf, tied } from '../../tools/process.ts';
import { until } from '../support/until.ts';
import { copyData } from './mariadb-data.ts';

export interface Mysql extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  readonly socket: string;
  /** Runs statements as root over the socket. */
  query(sql: string): Promise<RowDataPacket[]>;
}

const SUITE = 'sid';
/** The version that tests were last run with. */
const PACKAGE = 'mysql-server-core=9.7.4-2';
const RECIPE_VERSION = '1';
const HOST = '127.0.0.1';
const READY = 'ready for connections';

/** Tested by downloading and unpacking it. */
export const canRunMysql: Capability = async () => {
  try {
    await programs();
    return undefined;
  } catch (error) {
    return `no MySQL: ${messageOf(error)}`;
  }
};

/** Starts a MySQL, and resolves when it accepts connections. @param more arguments */
export async function startMysql(more: readonly string[] = []): Promise<Mysql> {
  const base = await programs();
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await privateDirectory('mysql', inMemory()));
  const at = (name: string) => join(path, name);
  const password = randomBytes(16).toString('hex');
  await writeFile(at('init.sql'), `ALTER USER root@localhost IDENTIFIED BY '${password}';\n`, { mode: 0o600 });
  await copyData(await installed(base), at('data'));
  const port = await freePort();
  const args = [
    ...identity(base, at('data')),
    `--bind-address=${HOST}`,
    `--port=${port}`,
    `--socket=${at('s')}`,
    `--pid-file=${at('pid')}`,
    `--log-error=${at('error.log')}`,
    `--init-file=${at('init.sql')}`,
    `--tmpdir=${path}`,
    '--mysqlx=OFF',
    '--skip-name-resolve',
    '--skip-log-bin',
    '--innodb-buffer-pool-size=32M',
    '--innodb-use-native-aio=0',
    ...more,
  ];
  const running = stack.use(await start(...tied(join(base, 'sbin/mysqld'), args), { cwd: path, logFile: at('out') }));
  let ended: number | undefined;
  void running.ended.then((code) => (ended = code));
  await until('MySQL to be ready for connections', () => {
    if (ended !== undefined)
      throw new Error(`MySQL exited with ${ended}: ${tailOf(at('out'))}${tailOf(at('error.log'))}`);
    return Promise.resolve(tailOf(at('error.log'), 100_000).includes(READY) || undefined);
  });
  const moved = stack.move();
  return {
    host: HOST,
    port,
    socket: at('s'),
    async query(sql) {
      const connection = await createConnection({
        socketPath: at('s'),
        user: 'root',
        password,
        multipleStatements: true,
      });
      try {
        const [rows] = await connection.query<RowDataPacket[]>(sql);
        return rows;
      } finally {
        await connection.end();
      }
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

async function programs(): Promise<string> {
  return join(await suitePrograms('mysql', [PACKAGE], SUITE), 'usr');
}

/** The data directory of a new server, created once, since that takes longer than the server's start. */
async function installed(base: string): Promise<string> {
  return await cached('mysql-data', [RECIPE_VERSION, base], async (directory) => {
    const args = [...identity(base, join(directory, 'data')), '--initialize-insecure', '--innodb-use-native-aio=0'];
    await must(join(base, 'sbin/mysqld'), args, { cwd: directory });
  });
}

function identity(base: string, data: string): string[] {
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : [];
  return ['--no-defaults', '--secure-file-priv=NULL', `--basedir=${base}`, `--datadir=${data}`, ...asRoot];
}
