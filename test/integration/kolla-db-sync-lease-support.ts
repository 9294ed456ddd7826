import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LeaseObject } from '../../src/dbsync/lease/object.ts';
import { kubeconfigText } from '../cluster/kubernetes/credentials.ts';
import { startControlPlane, type ControlPlane } from '../cluster/kubernetes/index.ts';
import { startProxy, type ApiProxy } from '../cluster/kubernetes/proxy.ts';
import { startMariadb, type Mariadb } from '../cluster/mariadb.ts';
import { runHelper } from '../support/helper.ts';
import type { Finished } from '../support/process.ts';
import { until } from '../support/until.ts';
import { beginHelper, siteOn, type Begun, type Site } from './kolla-db-sync-support.ts';

const SEEN_MS = 30_000;

/** What the tests of a file share: an API server and a database server. */
export interface World extends AsyncDisposable {
  readonly cluster: ControlPlane;
  readonly mariadb: Mariadb;
}

export async function startWorld(): Promise<World> {
  await using parts = new AsyncDisposableStack();
  const cluster = parts.use(await startControlPlane());
  const mariadb = parts.use(await startMariadb());
  const kept = parts.move();
  return { cluster, mariadb, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** A namespace with the ServiceAccount `migrator`, and a database: where one service is migrated. */
export interface LeaseSite extends Omit<Site, 'sync' | 'begin'> {
  readonly namespace: string;
  /** The ServiceAccount's way to the API server itself. */
  readonly kubeconfig: string;
  readonly proxy: ApiProxy;
  /** The same through the proxy. */
  readonly proxied: string;
  /** `kolla-db-sync keystone` to its end. */
  sync(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Finished>;
  /** The same, still running. */
  begin(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Begun>;
  lease(): Promise<LeaseObject | undefined>;
  /** Waits until the Lease is so, as the API server has it. */
  leaseThat(what: string, holds: (lease: LeaseObject) => boolean): Promise<LeaseObject>;
  kubectl(...args: string[]): Promise<string>;
}

/** For a takeover within seconds; longer than what a busy machine needs to answer. */
export const QUICK = ['--lock-loss', '1500ms', '--lease', '3s'] as const;

let sites = 0;

/** @param isAllowed whether the ServiceAccount has the Role that `kolla-db-sync rbac` prints */
export async function leaseSite(
  { cluster, mariadb }: World,
  stack: AsyncDisposableStack,
  isAllowed = true,
): Promise<LeaseSite> {
  const namespace = `site-${(sites += 1)}`;
  const kubectl = (...args: string[]) => cluster.kubectl([`--namespace=${namespace}`, ...args]);
  await kubectl('create', 'namespace', namespace);
  await kubectl('create', 'serviceaccount', 'migrator');
  if (isAllowed) {
    await kubectl('create', 'role', 'waits', '--verb=get,watch', '--resource=leases', '--resource=pods');
    await kubectl('create', 'rolebinding', 'waits', '--role=waits', `--serviceaccount=${namespace}:migrator`);
    const args = ['rbac', 'keystone', '--namespace', namespace, '--service-account', 'migrator'];
    const { stdout } = await runHelper('kolla-db-sync', args);
    await cluster.kubectl(['apply', '--filename=-'], stdout);
  }
  const kubeconfig = await cluster.kubeconfigOf(namespace, 'migrator');
  const proxy = stack.use(await startProxy(cluster));
  const proxied = join(cluster.folder, `${namespace}.proxied`);
  const token = (await kubectl('create', 'token', 'migrator', '--duration=1h')).trim();
  await writeFile(proxied, kubeconfigText(`https://127.0.0.1:${proxy.port}`, proxy.ca, { token }, namespace));
  const site = siteOn(mariadb);
  const words = ['keystone', '--admin-user', 'root'];
  const envOf = (more: NodeJS.ProcessEnv = {}) => ({ ...site.env, KUBECONFIG: kubeconfig, ...more });
  const lease = async () => {
    const text = await kubectl('get', 'lease', 'kolla-db-sync-keystone', '--output=json', '--ignore-not-found');
    return text === '' ? undefined : (JSON.parse(text) as LeaseObject);
  };
  return {
    ...site,
    namespace,
    kubeconfig,
    proxy,
    proxied,
    sync: (args, env) => runHelper('kolla-db-sync', [...words, ...args], { env: envOf(env) }),
    begin: (args, env) => beginHelper([...words, ...args], envOf(env)),
    lease,
    leaseThat: (what, holds) =>
      until(`the Lease to ${what}`, SEEN_MS, async () => {
        const found = await lease();
        return found !== undefined && holds(found) ? found : undefined;
      }),
    kubectl,
  };
}

/** The annotations, without the prefix that all of them have. */
export function said(lease: LeaseObject | undefined): Record<string, string> {
  const { annotations = {} } = lease?.metadata ?? {};
  return Object.fromEntries(Object.entries(annotations).map(([key, value]) => [key.replace('kolla-pod/', ''), value]));
}
