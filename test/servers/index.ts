/**
 * One MariaDB, one Kubernetes control plane and one Elasticsearch for the test files of a run:
 *
 *   test/run.ts -> serveShared(): a Unix socket, named in the environment of every test file
 *     test file -> sharedMariadb() -> asks there -> started for the first caller -> its address
 *     test file alone (`node --test FILE`) -> starts one, which ends with the file
 *   -> names unique to the file: databaseName('keystone'), namespaceName('openstack')
 *
 * Files run concurrently on one server, so each reads only objects with its own names.
 */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { privateDirectory } from '../../tools/directory.ts';
import { clusterOf, type Cluster } from '../cluster/kubernetes/api.ts';
import { kubectlBinary } from '../cluster/kubernetes/index.ts';
import { queryAsRoot, type Mariadb } from '../cluster/mariadb.ts';
import { searchClient, type SearchClient } from '../cluster/search-server.ts';
import { requester } from '../cluster/search-request.ts';
import { STARTS, type Kind, type Places } from './kinds.ts';
import { SOCKET } from './serve.ts';

export { databaseName, namespaceName } from '../support/names.ts';
export { serveShared, type SharedServers } from './serve.ts';

/** A MariaDB with the operations that test files may use. */
export interface SharedMariadb
  extends Pick<Mariadb, 'host' | 'port' | 'socket' | 'rootPassword' | 'query'>, AsyncDisposable {}

/** A control plane with the operations allowed to test files; `directory` is private to this file. */
export interface SharedControlPlane extends Cluster, AsyncDisposable {
  /** Creates a namespace. It is deleted with its content on dispose. */
  createNamespace(name: string): Promise<void>;
}

/** An Elasticsearch with the operations allowed to test files. Index names start with a databaseName(). */
export interface SharedElasticsearch extends SearchClient, AsyncDisposable {
  readonly url: string;
}

/**
 * The run's MariaDB, or a private one if the run shares none.
 * @param env environment with the run's socket; differs from the process's in the tests of sharing itself
 */
export async function sharedMariadb(env = process.env): Promise<SharedMariadb> {
  const { place, ...rest } = await served('mariadb', env);
  return { ...place, query: (sql, values) => queryAsRoot(place, sql, values), ...rest };
}

/** The run's control plane, or a private one if the run shares none. */
export async function sharedControlPlane(): Promise<SharedControlPlane> {
  await using stack = new AsyncDisposableStack();
  const { place } = stack.use(await served('controlPlane', process.env));
  const { path: directory } = stack.use(await privateDirectory('guest'));
  const cluster = clusterOf(await kubectlBinary(), { ...place, directory });
  const namespaces: string[] = [];
  stack.defer(async () => {
    // Does not wait for finalizers, because the names are never used again.
    if (namespaces.length > 0) await cluster.kubectl(['delete', 'namespace', '--wait=false', ...namespaces]);
  });
  const kept = stack.move();
  return {
    ...cluster,
    async createNamespace(name) {
      await cluster.kubectl(['create', 'namespace', name]);
      namespaces.push(name);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** The run's Elasticsearch, or a private one if the run shares none. */
export async function sharedElasticsearch(): Promise<SharedElasticsearch> {
  const { place, ...rest } = await served('elasticsearch', process.env);
  return { ...place, ...searchClient(requester(place.url, {})), ...rest };
}

interface Guest<K extends Kind> extends AsyncDisposable {
  readonly place: Places[K];
}

async function served<K extends Kind>(kind: K, env: NodeJS.ProcessEnv): Promise<Guest<K>> {
  const socketPath = env[SOCKET];
  if (socketPath === undefined) {
    const { place, ...own } = await STARTS[kind]();
    return { place, [Symbol.asyncDispose]: () => own[Symbol.asyncDispose]() };
  }
  const asked = request({ socketPath, path: `/${kind}`, agent: false }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const answer = await text(response);
  if (response.statusCode !== 200) throw new Error(answer);
  return { place: JSON.parse(answer) as Places[K], [Symbol.asyncDispose]: () => Promise.resolve() };
}
