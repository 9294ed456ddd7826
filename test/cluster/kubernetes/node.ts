import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../../src/cli/errors.ts';
import type { Capability } from '../../support/capability.ts';
import { privateFolder } from '../../support/folder.ts';
import { must, tied } from '../../support/process.ts';
import { step } from '../../support/progress.ts';
import { apiGet, clusterOf, type Cluster } from './api.ts';
import { canBuildKubernetes, kubeBinary, testbox } from './binaries.ts';
import { makeCgroups } from './cgroups.ts';
import { startKube, type Site } from './component.ts';
import { importImage, startContainerd, testboxImage } from './containerd.ts';
import { ADMIN, prepare, startApi, type Run } from './control-plane.ts';
import { openDoor } from './door.ts';
import { startKubelet } from './kubelet.ts';
import { makeNamespaces, NODE_ADDRESS } from './namespaces.ts';
import { nodePackages } from './packages.ts';

/** Where `inside()` puts a command: the node's network alone with this machine's files, or all that the node is. */
export type Scope = 'network' | 'node';

/** A whole cluster of one node; Pods run, and reach one another, Services and the node, but not this machine. */
export interface KubeNode extends Cluster, AsyncDisposable {
  /** Where Pods reach what runs in the node's network. */
  readonly address: string;
  /** PID 1 of the node, as this machine sees it. */
  readonly pid: number;
  /** The path that Pods' cgroups lie under, in every hierarchy. */
  readonly cgroup: string;
  /** Gives a docker-archive to the node. */
  importImage(file: string): Promise<void>;
  /**
   * The command that runs another one inside, for `start()` and `must()`. It is tied to this process. In the scope
   * `node` a signal ends the entering alone, and the program with the node.
   */
  inside(command: string, args: readonly string[], scope?: Scope): [string, string[]];
  /** A port on this machine's 127.0.0.1 that leads to one in the node's network; `host` is 127.0.0.1 in there. */
  reach(port: number, host?: string): Promise<number>;
}

export interface NodeOptions {
  /** docker-archives of the images that Pods will use; TESTBOX_IMAGE is always there. */
  readonly images?: readonly string[];
}

const ADDRESSES = {
  api: 6443,
  etcd: 2379,
  etcdPeer: 2380,
  controllerManager: 10_257,
  bind: '0.0.0.0',
  advertise: NODE_ADDRESS,
};
/** State, images unpacked and as archives. */
const NEEDED_BYTES = 2e9;
/** Needs of the kernel what kube-proxy's rules need. */
const SERVICE_LIKE_RULE =
  '--table nat --append OUTPUT --protocol tcp --match conntrack --ctstate NEW --match comment --comment x --jump DNAT --to 127.0.0.1:1'.split(
    ' ',
  );

/** Brings a node up in about five seconds; needs root. Everything of it ends with this process, however it ends. */
export async function startNode({ images = [] }: NodeOptions = {}): Promise<KubeNode> {
  const [kube, helper] = [await kubeBinary(), await testbox()];
  await using stack = new AsyncDisposableStack();
  let owner: AsyncDisposableStack = stack;
  const folder = stack.use(await privateFolder('node')).path;
  const packages = await nodePackages(folder);
  const cgroups = stack.use(await makeCgroups());
  const namespaces = stack.use(await makeNamespaces(folder, packages.env, helper));
  const site: Site = { folder, kube, env: packages.env, place: namespaces.inNode };
  const keys = await prepare(site);
  const reach = async (port: number, host = '127.0.0.1'): Promise<number> => {
    const socket = join(folder, `${host}-${port}.sock`);
    return owner.use(await openDoor(namespaces.inNetwork, helper, socket, `${host}:${port}`)).port;
  };
  const server = `https://127.0.0.1:${await reach(ADDRESSES.api)}`;
  const admin = await keys.issue('admin', ADMIN);
  const kubeconfig = await keys.kubeconfig('admin', server, ADMIN);
  const get = (path: string) => apiGet(server, path, keys.authority.certificate, admin);
  const run: Run = (name, flags) => startKube(site, name, flags); // ended by the namespaces' end
  await step('starting a Kubernetes node', async () => {
    await Promise.all([startApi(run, get, site, keys, ADDRESSES), startContainerd(site, packages.cni)]);
    await startKubelet(run, get, site, keys, cgroups.path);
  });
  await step('importing images', async () => {
    for (const image of [await testboxImage(folder, helper), ...images]) await importImage(site, image);
  });
  owner = stack.move();
  return {
    ...clusterOf(kube, { kubeconfig, server, ca: keys.authority.certificate, folder }),
    address: NODE_ADDRESS,
    pid: namespaces.pid,
    cgroup: cgroups.path,
    importImage: (file) => importImage(site, file),
    inside: (command, args, scope = 'network') =>
      tied(...(scope === 'node' ? namespaces.inNode(command, args) : namespaces.inNetwork(command, args))),
    reach,
    [Symbol.asyncDispose]: () => owner.disposeAsync(),
  };
}

/** Proven by making the namespaces, an overlay mount, a bridge, an iptables rule and the cgroups, and taking them away again. */
export const canRunNode: Capability = async () => {
  const cannot = await canBuildKubernetes();
  if (cannot !== undefined) return cannot;
  try {
    const { bavail, bsize } = await statfs(tmpdir());
    if (bavail * bsize < NEEDED_BYTES) return `a Kubernetes node needs 2 GB free in ${tmpdir()}`;
    await using folder = await privateFolder('node');
    const { env } = await nodePackages(folder.path);
    await using stack = new AsyncDisposableStack();
    stack.use(await makeCgroups());
    const { inNode } = stack.use(await makeNamespaces(folder.path, env, await testbox()));
    await must(...inNode('iptables', SERVICE_LIKE_RULE), { env });
    return undefined;
  } catch (error) {
    return `a Kubernetes node can't run here: ${messageOf(error)}`;
  }
};
