import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Galera, GaleraNode } from '../cluster/galera.ts';
import { galeraPrograms, type GaleraPrograms } from '../cluster/galera-programs.ts';
import { beginHelper, type Begun } from './kolla-db-sync-support.ts';

const JOURNAL = fileURLToPath(new URL('fixtures/galera-journal.sh', import.meta.url));
const PASSWORD = 'secret-of-the-service';

/** A database on the cluster with its own account, and the journal that the migrations write. */
export interface GaleraSite {
  readonly database: string;
  /** The URL for that account on that node. */
  url(node: GaleraNode): string;
  /** The command line of a migration that writes this many rounds through all nodes. */
  migration(rounds: number): [string, ...string[]];
  readonly env: NodeJS.ProcessEnv;
  /** The writes of all migrations in the cluster's commit order, as read from that node. */
  journal(node?: GaleraNode): Promise<JournalRow[]>;
  fence(node?: GaleraNode): Promise<Record<string, unknown> | undefined>;
}

export interface JournalRow {
  readonly n: number;
  readonly who: string;
  readonly what: string;
  readonly node: string;
}

let sites = 0;

export async function siteOnGalera(galera: Galera): Promise<GaleraSite> {
  sites += 1;
  const database = `site${sites}`;
  const [first] = galera.nodes as [GaleraNode];
  const programs: GaleraPrograms = await galeraPrograms();
  await first.query(`CREATE DATABASE ${database}; CREATE USER ${database}@'%' IDENTIFIED BY '${PASSWORD}';
    GRANT ALL PRIVILEGES ON ${database}.* TO ${database}@'%';
    CREATE TABLE ${database}.clock (id INT PRIMARY KEY, n INT NOT NULL) ENGINE=InnoDB;
    CREATE TABLE ${database}.journal (n INT PRIMARY KEY, who VARCHAR(64), what VARCHAR(8), node VARCHAR(8)) ENGINE=InnoDB;
    INSERT INTO ${database}.clock VALUES (1, 0)`);
  await galera.waitApplied();
  const ports = galera.nodes.map(({ port }) => String(port));
  return {
    database,
    url: ({ host, port }) => `mysql+pymysql://${database}:${PASSWORD}@${host}:${port}/${database}`,
    migration: (rounds) => ['sh', JOURNAL, join(programs.base, 'bin/mariadb'), String(rounds), ...ports],
    env: {
      PATH: process.env['PATH'],
      MYSQL_PWD: PASSWORD,
      KP_DATABASE: database,
    },
    async journal(node = first) {
      const rows = await node.query(`SET wsrep_sync_wait = 7; SELECT * FROM ${database}.journal ORDER BY n`);
      return rows.at(-1) as unknown as JournalRow[];
    },
    async fence(node = first) {
      const rows = await node.query(`SET wsrep_sync_wait = 7; SELECT * FROM ${database}.kolla_pod_fence`);
      return (rows.at(-1) as unknown as Record<string, unknown>[])[0];
    },
  };
}

/** Starts `kolla-db-sync keystone` with the account's URL and those nodes as hosts; `said` collects its output. */
export async function beginOn(site: GaleraSite, nodes: readonly GaleraNode[], args: readonly string[]): Promise<Begun> {
  const hosts = nodes.flatMap(({ host, port }) => ['--host', `${host}:${port}`]);
  const env = { ...site.env, KOLLA_DB_SYNC_CONNECTION: site.url(nodes[0]!) };
  return await beginHelper(['keystone', ...hosts, ...args], env);
}
