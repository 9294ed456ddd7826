import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Capability } from '../../../tools/capability.ts';
import { inMemory, privateDirectory } from '../../../tools/directory.ts';
import { freePorts } from '../../../tools/port.ts';
import { step } from '../../../tools/progress.ts';
import { apiGet, clusterOf, type Cluster } from './api.ts';
import { apiServer, end, type ApiServer, type Program } from './api-server.ts';
import { canBuildKubernetes, kubeBinary, kubectlBinary } from './binaries.ts';
import { etcdAt, type Etcd } from './etcd.ts';
import { startKube, whenUp, type Component, type Site } from './component.ts';
import { makeClusterKeys, type ClusterKeys } from './credentials.ts';
import { FIRST_NODE, servicesOf } from './network.ts';
import { apiserverFlags, controllerManagerFlags, etcdFlags, type Addresses } from './flags.ts';

/** An API server with everything that needs no node: RBAC, ServiceAccounts, Jobs whose Pods never run. */
export interface ControlPlane extends Cluster, AsyncDisposable {
  readonly apiServer: ApiServer;
  readonly etcd: Etcd;
  /** Pids of the control plane's current processes. */
  readonly pids: readonly number[];
  /**
   * Starts another API server on the same etcd, as in highly available clusters.
   * @param flags additional command-line flags
   */
  addApiServer(flags?: Readonly<Record<string, string>>): Promise<ApiServer>;
}

/** Tested by building it. Any user may run it. */
export const canRunControlPlane: Capability = canBuildKubernetes;

/** Starts etcd, kube-apiserver and kube-controller-manager on free loopback ports, in about four seconds. */
export async function startControlPlane(): Promise<ControlPlane> {
  const [kube, kubectl] = [await kubeBinary(), await kubectlBinary()];
  await using stack = new AsyncDisposableStack();
  const directory = stack.use(await privateDirectory('control-plane', inMemory())).path;
  const [api = 0, etcd = 0, etcdPeer = 0, controllerManager = 0] = await freePorts(4);
  const addresses: Addresses = {
    api,
    etcd,
    etcdPeer,
    controllerManager,
    bind: '127.0.0.1',
    advertise: '127.0.0.1',
    ...servicesOf(FIRST_NODE),
  };
  const server = `https://127.0.0.1:${api}`;
  const site: Site = { directory, kube, env: componentEnv(directory), place: (command, args) => [command, args] };
  const keys = await prepare(site);
  const admin = await keys.issue('admin', ADMIN);
  const kubeconfig = await keys.kubeconfig('admin', server, ADMIN);
  const programs = new Map<string, Program>();
  const run = async (name: string, flags: Readonly<Record<string, string>>) => {
    const program: Program = { current: await startKube(site, name, flags) };
    programs.set(name, program);
    stack.defer(() => end(program));
    return program.current!;
  };
  const get = (path: string) => apiGet(server, path, keys.authority.certificate, admin);
  await step('starts a Kubernetes control plane', async () => {
    await startApi(run, get, site, keys, addresses, LONELY);
  });
  const apiServerAt = (port: number, program: Program, more: Readonly<Record<string, string>> = {}): ApiServer => {
    const flags = { ...apiserverFlags(site.directory, keys, { ...addresses, api: port }), ...LONELY, ...more };
    const ask = () => apiGet(`https://127.0.0.1:${port}`, '/readyz', keys.authority.certificate, admin);
    return apiServer(port, program, {
      run: () => startKube(site, 'kube-apiserver', flags),
      ready: async (component) => void (await whenUp(component, 'its /readyz to be ok', ask)),
    });
  };
  const moved = stack.move();
  return {
    ...clusterOf(kubectl, { kubeconfig, server, ca: keys.authority.certificate, directory }),
    apiServer: apiServerAt(api, programs.get('kube-apiserver') ?? {}),
    etcd: etcdAt(`http://127.0.0.1:${etcd}`, programs.get('etcd')?.current?.running.pid ?? 0),
    get pids() {
      return [...programs.values()].flatMap(({ current }) => current?.running.pid ?? []);
    },
    addApiServer: async (flags) => {
      const [port = 0] = await freePorts(1);
      const another = moved.use(apiServerAt(port, {}, flags));
      await another.start();
      return another;
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

/** An unrestricted user. */
export const ADMIN = { commonName: 'admin', organizations: ['system:masters'] };

/** The garbage collectors of seven Go programs must not compete for all cores, nor start at each doubling of a small heap. */
export function componentEnv(directory: string): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: directory, GOMAXPROCS: '2', GOGC: '400' };
}

/** Creates a site's directories and keys. */
export async function prepare(site: Site): Promise<ClusterKeys> {
  for (const name of ['keys', 'log']) await mkdir(join(site.directory, name));
  return await makeClusterKeys(join(site.directory, 'keys'));
}

/** Starts a program, which is stopped with the cluster. */
export type Run = (name: string, flags: Readonly<Record<string, string>>) => Promise<Component>;

/** Sends a GET to the API server. Returns its response, or undefined if there is none. */
export type Get = (path: string) => Promise<string | undefined>;

/** API servers do not register as endpoints of the Service `kubernetes`: a stopped one would remain registered. */
const LONELY = { 'endpoint-reconciler-type': 'none' };

/** Starts etcd, API server and controller manager, and waits until the first ServiceAccount exists, which Pods need. */
export async function startApi(
  run: Run,
  get: Get,
  site: Site,
  keys: ClusterKeys,
  addresses: Addresses,
  extra: Readonly<Record<string, string>> = {},
): Promise<void> {
  const hosts = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
  await keys.issue('apiserver', {
    commonName: 'kube-apiserver',
    hosts: [...hosts, '127.0.0.1', '::1', ...addresses.kubernetes, addresses.advertise],
  });
  await keys.issue('apiserver-kubelet', { ...ADMIN, commonName: 'kube-apiserver-kubelet' });
  await run('etcd', etcdFlags(site.directory, addresses));
  const apiserver = await run('kube-apiserver', { ...apiserverFlags(site.directory, keys, addresses), ...extra });
  await whenUp(apiserver, 'its /readyz to be ok', () => get('/readyz'));
  // The controller manager starts last: it exits if it cannot read objects that the API server creates on start.
  const kubeconfig = await keys.kubeconfig('controller-manager', `https://127.0.0.1:${addresses.api}`, {
    commonName: 'system:kube-controller-manager',
  });
  const manager = await run(
    'kube-controller-manager',
    controllerManagerFlags(site.directory, keys, addresses, kubeconfig),
  );
  const account = '/api/v1/namespaces/default/serviceaccounts/default';
  await whenUp(manager, 'the default ServiceAccount', () => get(account));
}
