/**
 * Servers shared by test files, with the information a file gets: enough to use one, not to stop it. A file that
 * stops, kills or freezes its server, sets its options, or counts server-wide activity starts its own.
 */
import { startControlPlane } from '../cluster/kubernetes/index.ts';
import { startElasticsearch } from '../cluster/elasticsearch.ts';
import { startMariadb } from '../cluster/mariadb.ts';

/** Addresses of the shared servers: the only data passed from the runner to a test file. */
export interface Places {
  readonly mariadb: {
    readonly host: string;
    readonly port: number;
    readonly socket: string;
    readonly rootPassword: string;
  };
  readonly controlPlane: { readonly kubeconfig: string; readonly server: string; readonly ca: string };
  readonly elasticsearch: { readonly url: string };
}

export type Kind = keyof Places;

export interface Served<K extends Kind> extends AsyncDisposable {
  readonly place: Places[K];
  /** Its processes. It is dead when one of them has exited. */
  readonly pids: readonly number[];
}

/** How each of the servers is started. */
export const STARTS: { readonly [K in Kind]: () => Promise<Served<K>> } = {
  async mariadb() {
    const mariadb = await startMariadb();
    const { host, port, socket, rootPassword, pid } = mariadb;
    return served({ host, port, socket, rootPassword }, [pid], mariadb);
  },
  async controlPlane() {
    const cluster = await startControlPlane();
    const { kubeconfig, server, ca, pids } = cluster;
    return served({ kubeconfig, server, ca }, pids, cluster);
  },
  async elasticsearch() {
    const server = await startElasticsearch();
    return served({ url: server.url }, [server.pid], server);
  },
};

function served<P>(place: P, pids: readonly number[], server: AsyncDisposable) {
  return { place, pids, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
