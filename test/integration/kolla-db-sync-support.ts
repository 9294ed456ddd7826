import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mariadb } from '../cluster/mariadb.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { runHelper, startHelper } from '../support/helper.ts';
import { databaseName } from '../support/names.ts';
import type { Finished, Running } from '../../tools/process.ts';
import { until } from '../support/until.ts';

const JOURNAL = fileURLToPath(new URL('fixtures/journal.ts', import.meta.url));

/** A database with its own account on a server shared by the tests of a file. */
export interface Site {
  readonly database: string;
  readonly password: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs `kolla-db-sync keystone` with an admin until it exits. */
  sync(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Finished>;
  /** Starts the same command and returns while it runs. */
  begin(args: readonly string[]): Promise<Begun>;
  /** What the migrations have written: one `{ who, what }` per line, in order. */
  journal(): Promise<{ who: string; what: string }[]>;
  fence(): Promise<Record<string, unknown> | undefined>;
}

export interface Begun extends AsyncDisposable {
  readonly running: Running;
  said(): string;
  /** Waits until it has logged this text. */
  saying(what: RegExp): Promise<void>;
  readonly code: Promise<number>;
}

const ADMIN = ['--admin-user', 'root'] as const;
/**
 * Short, for a takeover within seconds, yet long enough for a run that keeps its lock on a machine that stalls for some
 * seconds.
 */
export const CALM = ['--lock-loss', '10s', '--lease', '15s'] as const;

/**
 * The command line of a migration that works for this long (ms) or until that file exists, and exits with that code.
 */
export function migration(work: number | string, code = 0): string[] {
  return ['--', process.execPath, JOURNAL, String(work), String(code)];
}

/** A file that does not exist until the test opens the gate. Migrations wait for it instead of for a clock. */
export async function gateFile(): Promise<{ path: string; open(): Promise<void> } & AsyncDisposable> {
  const directory = await privateDirectory('gate');
  const path = join(directory.path, 'open');
  return { path, open: () => writeFile(path, ''), [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

/** Starts kolla-db-sync as a long-running process. @param names a directory with the helpers of another build */
export async function beginHelper(args: readonly string[], env: NodeJS.ProcessEnv, names?: string): Promise<Begun> {
  const running = await startHelper('kolla-db-sync', args, { env, names, keepOutput: true });
  let said = '';
  running.child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  running.child.stdout?.resume();
  return {
    running,
    said: () => said,
    async saying(what) {
      await until(String(what), async () => (what.test(said) ? true : undefined));
    },
    code: running.ended,
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

export function siteOn(
  mariadb: Pick<Mariadb, 'host' | 'port' | 'rootPassword' | 'query'>,
  password = 'secret-of-keystone',
  encoded = password,
): Site {
  const database = databaseName('key_stone');
  const env = {
    KOLLA_DB_SYNC_CONNECTION: `mysql+pymysql://${database}:${encoded}@${mariadb.host}:${mariadb.port}/${database}?charset=utf8`,
    KOLLA_DB_SYNC_ADMIN_PASSWORD: mariadb.rootPassword,
  };
  return {
    database,
    password,
    env,
    sync: (args, more = {}) =>
      runHelper('kolla-db-sync', ['keystone', ...ADMIN, ...args], { env: { ...env, ...more } }),
    begin: (args) => beginHelper(['keystone', ...ADMIN, ...args], env),
    async journal() {
      const rows = await mariadb.query(`SELECT who, what FROM ${database}.journal ORDER BY id`);
      return rows as { who: string; what: string }[];
    },
    async fence() {
      const [row] = await mariadb.query(`SELECT * FROM ${database}.kolla_pod_fence`);
      return row;
    },
  };
}

/** The migrations in the order in which they started. Throws if two of them overlap. */
export function runsIn(journal: readonly { who: string; what: string }[]): { who: string; isWhole: boolean }[] {
  const runs: { who: string; isWhole: boolean }[] = [];
  for (const { who, what } of journal) {
    const last = runs.at(-1);
    if (what === 'start') runs.push({ who, isWhole: false });
    else if (last?.who !== who) throw new Error(`${who} wrote after ${last?.who} had begun`);
    if (what === 'end') runs[runs.length - 1] = { who, isWhole: true };
  }
  return runs;
}
