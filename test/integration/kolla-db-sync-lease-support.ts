import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LeaseObject } from '../../src/migrate/lease/object.ts';
import { ApiError, connectKube, type KubeClient } from '../../src/kube/index.ts';
import { kubeconfigText } from '../cluster/kubernetes/credentials.ts';
import { startProxy, type ApiProxy } from '../cluster/kubernetes/proxy.ts';
import { namespaceName, sharedControlPlane, sharedMariadb, type SharedControlPlane } from '../servers/index.ts';
import { runHelper } from '../support/helper.ts';
import type { Finished } from '../../tools/process.ts';
import { until } from '../support/until.ts';
import { beginHelper, siteOn, type Begun, type Site } from './kolla-db-sync-support.ts';

/** The API server and the database server of these tests. */
export interface World extends AsyncDisposable {
  readonly cluster: SharedControlPlane;
  readonly mariadb: Parameters<typeof siteOn>[0];
  /** The administrator's client, because a kubectl takes as long as the start of a helper. */
  readonly kube: KubeClient;
}

/** @param server default: the MariaDB that test files share */
export async function startWorld(server?: World['mariadb']): Promise<World> {
  await using parts = new AsyncDisposableStack();
  const cluster = parts.use(await sharedControlPlane());
  const mariadb = server ?? parts.use(await sharedMariadb());
  const kube = parts.use(await connectKube({ kind: 'kubeconfig', files: [cluster.kubeconfig] }));
  const kept = parts.move();
  return { cluster, mariadb, kube, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** A namespace with the ServiceAccount `migrator`, and a database, for one service to migrate. */
export interface LeaseSite extends Omit<Site, 'sync' | 'begin'> {
  readonly namespace: string;
  /** The ServiceAccount's connection to the API server, without the proxy. */
  readonly kubeconfig: string;
  readonly proxy: ApiProxy;
  /** Its connection through the proxy. */
  readonly proxied: string;
  /** Runs `kolla-db-sync keystone` to completion. */
  sync(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Finished>;
  /** Starts the same command and returns while it runs. */
  begin(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Begun>;
  lease(): Promise<LeaseObject | undefined>;
  /** Waits until the Lease on the API server satisfies the condition. */
  leaseThat(what: string, holds: (lease: LeaseObject) => boolean): Promise<LeaseObject>;
  kubectl(...args: string[]): Promise<string>;
}

const THE_LEASE = { group: 'coordination.k8s.io', resource: 'leases', name: 'kolla-db-sync-keystone' } as const;
const RBAC = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'waits' } as const;
/** Placeholder for the namespace in the Role, which is printed once for all sites. */
const NOWHERE = 'namespace-of-the-site';

interface Account {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly name?: string;
}

let printed: Promise<string> | undefined;

function printedRole(): Promise<string> {
  const args = ['rbac', 'keystone', '--namespace', NOWHERE, '--service-account', 'migrator'];
  return (printed ??= runHelper('kolla-db-sync', args).then(({ stdout }) => stdout));
}

/** Permissions that kolla-init's waits for a Lease or Pod need. */
function mayWait(account: Account): object[] {
  const metadata = { name: RBAC.name, namespace: account.namespace };
  const apiVersion = `${RBAC.apiGroup}/v1`;
  const verbs = ['get', 'watch'];
  const rules = [
    { apiGroups: [THE_LEASE.group], resources: ['leases'], verbs },
    { apiGroups: [''], resources: ['pods'], verbs },
  ];
  return [
    { apiVersion, kind: 'Role', metadata, rules },
    { apiVersion, kind: 'RoleBinding', metadata, roleRef: RBAC, subjects: [account] },
  ];
}

/** Waits until the API server grants an account this permission, because a new Role takes effect with a delay. */
export async function untilAllowed(
  kube: KubeClient,
  { name, namespace }: Pick<Account, 'name' | 'namespace'>,
  right: Right,
): Promise<void> {
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user: `system:serviceaccount:${namespace}:${name}`, resourceAttributes: { namespace, ...right } },
  };
  const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
  await until(`${name} to be allowed to ${right.verb} ${right.resource}`, async () => {
    const options = { signal: new AbortController().signal };
    const { status } = await kube.request<{ status: { allowed: boolean } }>('POST', path, review, options);
    return status.allowed || undefined;
  });
}

/** Waits until the API server grants the ServiceAccount `migrator` of that namespace what the printed Role allows. */
export async function mayTakeLease(kube: KubeClient, namespace: string): Promise<void> {
  const account = { kind: 'ServiceAccount', name: 'migrator', namespace };
  for (const verb of ['create', 'watch', 'update']) await untilAllowed(kube, account, { verb, ...THE_LEASE });
}

/** @param isAllowed whether the ServiceAccount has the Role that `kolla-db-sync rbac` prints */
export async function leaseSite(
  { cluster, mariadb, kube }: World,
  stack: AsyncDisposableStack,
  isAllowed = true,
): Promise<LeaseSite> {
  const namespace = namespaceName('site');
  await cluster.createNamespace(namespace);
  const kubectl = (...args: string[]) => cluster.kubectl([`--namespace=${namespace}`, ...args]);
  const account = { kind: 'ServiceAccount', name: 'migrator', namespace };
  const objects = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'migrator', namespace } },
    ...(isAllowed ? mayWait(account) : []),
  ].map((object) => JSON.stringify(object));
  if (isAllowed) objects.push((await printedRole()).replaceAll(NOWHERE, namespace));
  await cluster.kubectl(['apply', '--filename=-'], objects.join('\n---\n'));
  if (isAllowed) await mayTakeLease(kube, namespace);
  const { status } = await kube.request<{ status: { token: string } }>(
    'POST',
    `/api/v1/namespaces/${namespace}/serviceaccounts/migrator/token`,
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } },
    { signal: new AbortController().signal },
  );
  const proxy = stack.use(await startProxy(cluster));
  const save = async (name: string, server: string, ca: string) => {
    const path = join(cluster.directory, `${namespace}.${name}`);
    await writeFile(path, kubeconfigText(server, ca, { token: status.token }, namespace), { mode: 0o600 });
    return path;
  };
  const kubeconfig = await save('kubeconfig', cluster.server, cluster.ca);
  const proxied = await save('proxied', `https://127.0.0.1:${proxy.port}`, proxy.ca);
  const site = siteOn(mariadb);
  const words = ['keystone', '--admin-user', 'root'];
  const envOf = (more: NodeJS.ProcessEnv = {}) => ({ ...site.env, KUBECONFIG: kubeconfig, ...more });
  const lease = async () => {
    const path = `/apis/${THE_LEASE.group}/v1/namespaces/${namespace}/leases/${THE_LEASE.name}`;
    return await kube.get<LeaseObject>(path, { signal: new AbortController().signal }).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    });
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
      until(`the Lease to ${what}`, async () => {
        const found = await lease();
        return found !== undefined && holds(found) ? found : undefined;
      }),
    kubectl,
  };
}

/** The annotations without the prefix that they share. */
export function said(lease: LeaseObject | undefined): Record<string, string> {
  const { annotations = {} } = lease?.metadata ?? {};
  return Object.fromEntries(Object.entries(annotations).map(([key, value]) => [key.replace('kolla-pod/', ''), value]));
}
