import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startForwarder, type Forwarder } from '../../test/cluster/forwarder.ts';
import { kubeconfigText } from '../../test/cluster/kubernetes/credentials.ts';
import { startControlPlane } from '../../test/cluster/kubernetes/index.ts';
import { runHelper } from '../../test/support/helper.ts';

/** The API server, to which each contender has its own connection. */
export interface Api extends AsyncDisposable {
  /** Grants the contenders access to that Lease, by the Role that kolla-db-sync prints. */
  allow(leaseName: string): Promise<void>;
  /** A kubeconfig that connects through a forwarder. */
  way(name: string): Promise<ApiWay>;
}

export interface ApiWay extends AsyncDisposable {
  readonly kubeconfig: string;
  /** Resets every connection, or stalls it. */
  cut(how: 'reset' | 'silent'): void;
  fix(): void;
}

const NAMESPACE = 'openstack';
const ACCOUNT = 'migrator';

export async function startApi(): Promise<Api> {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await startControlPlane());
  await cluster.kubectl(['create', 'namespace', NAMESPACE]);
  await cluster.kubectl(['create', 'serviceaccount', ACCOUNT, `--namespace=${NAMESPACE}`]);
  const create = ['create', 'token', ACCOUNT, `--namespace=${NAMESPACE}`, '--duration=6h'];
  const token = (await cluster.kubectl(create)).trim();
  const { port } = cluster.apiServer;
  const kept = stack.move();
  return {
    async allow(leaseName) {
      const place = ['--namespace', NAMESPACE, '--service-account', ACCOUNT];
      const { stdout } = await runHelper('kolla-db-sync', ['rbac', 'keystone', '--lease-name', leaseName, ...place]);
      await cluster.kubectl(['apply', '--filename=-'], stdout);
    },
    async way(name) {
      const forwarder: Forwarder = await startForwarder(port);
      const kubeconfig = join(cluster.directory, `${name}.kubeconfig`);
      const server = `https://127.0.0.1:${forwarder.port}`;
      await writeFile(kubeconfig, kubeconfigText(server, cluster.ca, { token }, NAMESPACE), { mode: 0o600 });
      return {
        kubeconfig,
        cut(how) {
          if (how === 'silent') return forwarder.silence();
          forwarder.target = undefined;
          forwarder.cut();
        },
        fix() {
          forwarder.target = port;
          forwarder.cut();
        },
        [Symbol.asyncDispose]: () => forwarder[Symbol.asyncDispose](),
      };
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
