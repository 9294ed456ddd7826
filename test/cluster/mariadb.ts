/**
 * A real MariaDB:
 *
 *   programs (Debian's packages or Maven, unpacked) -> a copy of an initial data directory -> mariadbd on a free port
 *     and a socket -> accounts from its init file, before it accepts connections -> "ready for connections" in its log
 *
 * It runs as the test's user. Its root account logs in with a random password over the socket and over TCP from
 * anywhere, because the node's Pods have any address. After a kill and restart it has the same port and data.
 */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { messageOf } from '../../src/core/errors.ts';
import type { Capability } from '../../tools/capability.ts';
import { inMemory, privateDirectory } from '../../tools/directory.ts';
import { freePort } from '../../tools/port.ts';
import { start, tailOf, tied, type Running } from '../../tools/process.ts';
import { until } from '../support/until.ts';
import { copyData, installedData, LOG_SIZE, NO_SYNC, serverIdentity } from './mariadb-data.ts';
import { mariadbPrograms, type MariadbPrograms } from './mariadb-programs.ts';
import type { MariadbVersion } from './server-versions.ts';

export interface MariadbOptions {
  /** The listen address; the default is 127.0.0.1. */
  readonly address?: string;
  /** The port; by default a free one. */
  readonly port?: number;
  /** Wraps the server's command line, so that it runs in another network namespace. */
  readonly launcher?: (command: string, args: string[]) => [string, string[]];
  /** The password of root; by default a random one. */
  readonly rootPassword?: string;
  /** Further arguments. Without one of `--ssl` the server has no TLS. */
  readonly extraArgs?: readonly string[];
  readonly programs?: MariadbPrograms;
  /** The version; by default the selected one. */
  readonly version?: MariadbVersion;
}

export interface Mariadb extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  readonly socket: string;
  readonly rootPassword: string;
  readonly directory: string;
  readonly errorLog: string;
  /** The process of the server, or of its launcher. */
  readonly pid: number;
  /** Runs one statement as root over the socket, on a separate connection. `?` are placeholders. */
  query(sql: string, values?: readonly (string | number | null)[]): Promise<RowDataPacket[]>;
  /** Shuts the server down cleanly; its data is kept. */
  stop(): Promise<void>;
  /** Kills the server with SIGKILL; its data is kept. */
  kill(): Promise<void>;
  /** Starts the server again after stop or kill, with the same port, socket and data. */
  restart(): Promise<void>;
}
const READY = 'ready for connections';

/** Tested by downloading and unpacking it. */
export const canRunMariadb: Capability = async () => {
  try {
    await mariadbPrograms();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
};

/** Starts a MariaDB and returns when it accepts connections. */
export async function startMariadb(options: MariadbOptions = {}): Promise<Mariadb> {
  const { address = '127.0.0.1', launcher = (command, args) => [command, args], extraArgs = [] } = options;
  const programs = options.programs ?? (await mariadbPrograms(options.version));
  const port = options.port ?? (await freePort());
  const directory = await privateDirectory('mariadb', inMemory());
  const at = (name: string) => join(directory.path, name);
  const [socket, errorLog] = [at('s'), at('error.log')];
  const rootPassword = options.rootPassword ?? randomBytes(16).toString('hex');
  // A private directory, because a starting MariaDB removes all #sql files in its TMPDIR, including those of another
  // one.
  const env = { PATH: process.env['PATH'], TMPDIR: directory.path, ...programs.env };
  const args = [
    ...serverIdentity(programs, at('data')),
    `--socket=${socket}`,
    `--bind-address=${address}`,
    `--port=${port}`,
    `--pid-file=${at('pid')}`,
    `--log-error=${errorLog}`,
    `--init-file=${at('init.sql')}`,
    '--skip-name-resolve',
    '--character-set-server=utf8mb4',
    '--innodb-buffer-pool-size=64M',
    '--innodb-use-native-aio=0',
    LOG_SIZE,
    NO_SYNC,
    // Otherwise 11.4 and later make a 4096-bit key at each start, which takes most of its time.
    ...(extraArgs.some((arg) => arg.startsWith('--ssl')) ? [] : ['--skip-ssl']),
    ...extraArgs,
  ];
  let running: Running | undefined;

  const restart = async (): Promise<void> => {
    await writeFile(errorLog, '');
    const [command, commandArgs] = launcher(...tied(programs.server, args));
    const started = await start(command, commandArgs, { cwd: directory.path, env, logFile: at('out.log') });
    running = started;
    let ended: number | undefined;
    void started.ended.then((code) => (ended = code));
    await until('MariaDB to be ready for connections', async () => {
      if (ended !== undefined) {
        throw new Error(`MariaDB exited with ${ended}: ${tailOf(at('out.log'))}${tailOf(errorLog)}`);
      }
      return tailOf(errorLog, 100_000).includes(READY) ? true : undefined;
    }).catch(async (error: unknown) => {
      await started.stop();
      throw error;
    });
  };
  const stop = async (): Promise<void> => void (await running?.stop());

  try {
    await writeFile(at('init.sql'), accounts(rootPassword), { mode: 0o600 });
    await copyData(await installedData(programs), at('data'));
    await restart();
  } catch (error) {
    await directory[Symbol.asyncDispose]();
    throw error;
  }
  return {
    host: address,
    port,
    socket,
    rootPassword,
    directory: directory.path,
    errorLog,
    get pid() {
      return running?.pid ?? 0;
    },
    query: (sql, values) => queryAsRoot({ socket, rootPassword }, sql, values),
    stop,
    async kill() {
      if (running !== undefined) process.kill(-running.pid, 'SIGKILL');
      await running?.ended;
    },
    restart,
    async [Symbol.asyncDispose]() {
      await stop();
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** Runs one statement as root on a separate connection over the socket. */
export async function queryAsRoot(
  { socket, rootPassword }: { readonly socket: string; readonly rootPassword: string },
  sql: string,
  values: readonly (string | number | null)[] = [],
): Promise<RowDataPacket[]> {
  const connection: Connection = await createConnection({
    socketPath: socket,
    user: 'root',
    password: rootPassword,
    multipleStatements: true,
  });
  try {
    const [rows] = await connection.query<RowDataPacket[]>(sql, [...values]);
    return rows;
  } finally {
    await connection.end();
  }
}

/**
 * The init file, which the server runs on every start before the first connection. It drops anonymous accounts, because
 * they would hide `keystone@'%'` from local clients.
 */
export function accounts(password: string): string {
  return [
    "DELETE FROM mysql.global_priv WHERE User='' OR (User='root' AND Host<>'localhost');",
    'FLUSH PRIVILEGES;',
    `ALTER USER root@localhost IDENTIFIED BY '${password}';`,
    `CREATE OR REPLACE USER root@'%' IDENTIFIED BY '${password}';`,
    "GRANT ALL PRIVILEGES ON *.* TO root@'%' WITH GRANT OPTION;",
    '',
  ].join('\n');
}
