import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Addresses } from '../../../build/docs/support.ts';
import { messageOf } from '../../../src/core/errors.ts';
import { formatAddress } from '../../../src/net/dial/address.ts';
import type { Capability } from '../../../tools/capability.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { must, tied } from '../../../tools/process.ts';
import { step } from '../../../tools/progress.ts';
import { apiGet, clusterOf, type Cluster } from './api.ts';
import {
  canBuildKubernetes,
  containerd2Directories,
  corednsBinary,
  kubeBinary,
  kubectlBinary,
  kubeRouterBinary,
  testbox,
} from './binaries.ts';
import { makeCgroups } from './cgroups.ts';
import { startKube, whenUp, type Command, type Component, type Placement, type Site } from './component.ts';
import { containerdRoot, importImage, startContainerd, testboxImage } from './containerd.ts';
import { ADMIN, prepare, startApi, type Run } from './control-plane.ts';
import { corednsImage, startDns } from './dns.ts';
import { copyStore, type StoredImages } from './image-store.ts';
import { openPortForward } from './port-forward.ts';
import { startKubelet, startScheduler } from './kubelet.ts';
import { startFurtherNode, type FurtherNode } from './further-node.ts';
import { makeNamespaces, signalInside } from './namespaces.ts';
import { anyOf, httpsAt, nodeOf, servicesOf } from './network.ts';
import { nodePackages } from './packages.ts';
import { POLICY_LIKE_RULES, startPolicies } from './policies.ts';

/** Where `inside()` runs a command: only in the node's network with this machine's files, or in the whole node. */
export type Scope = 'network' | 'node';

/** A cluster of one to three nodes. Pods run, and reach each other, Services and the node, but not this machine. */
export interface KubeNode extends Cluster, AsyncDisposable {
  /** The address at which Pods reach servers in the node's network: the primary one. */
  readonly address: string;
  /** Its addresses of all IP families. */
  readonly addresses: readonly string[];
  /** Address of the API server in the node's network; `server` is for programs on this machine. */
  readonly innerServer: string;
  /** PID 1 of the node, with its pid in this machine's PID namespace. */
  readonly pid: number;
  /** The parent of the Pods' cgroups, in every hierarchy. */
  readonly cgroup: string;
  /**
   * The administrator's GET of a path at the API server, for polls: kubectl takes a tenth of a second of a CPU. Undefined
   * without a response of status 200.
   */
  get(path: string): Promise<string | undefined>;
  /** Imports a docker-archive into all nodes, or into the nodes with these names. */
  importImage(file: string, nodes?: readonly string[]): Promise<void>;
  /**
   * Wraps a command so that `start()` and `must()` run it in the node's namespaces. It is killed when this process exits.
   * With scope `node` a signal reaches only nsenter; the program itself runs until the node stops.
   */
  readonly inside: (command: string, args: readonly string[], scope?: Scope) => [string, string[]];
  /** A port on this machine's 127.0.0.1 forwarded to one in the node's network, by default to its loopback address. */
  reach(port: number, host?: string): Promise<number>;
  /** Kills the API server and restarts it. Resolves when it is ready. */
  restartApiServer(): Promise<void>;
  /** Sends a signal to the API server. */
  signalApiServer(signal: NodeJS.Signals): Promise<void>;
  /** The further nodes by their names. */
  readonly further: ReadonlyMap<string, FurtherNode>;
}

export interface NodeOptions {
  /** docker-archives with the Pods' images. TESTBOX_IMAGE always exists. */
  readonly images?: readonly string[];
  /** Images that the first node shares with those of other test files. */
  readonly stored?: StoredImages;
  /** Adds CoreDNS (see canBuildCoredns), so that Pods find Services by name. */
  readonly dns?: true;
  /**
   * Further kubelets in separate namespaces, on the same network: `node2`, and `node3`. They get the same images.
   * Default: none.
   */
  readonly further?: 1 | 2;
  /** Adds kube-router (see canEnforcePolicies), so that NetworkPolicies apply to the Pods of the first node. */
  readonly policies?: true;
  /** The addresses of Pods, Services and nodes; by default IPv4. In a dual-stack cluster the primary ones are IPv4. */
  readonly addresses?: Addresses;
  /** containerd 2 in place of Debian's, for image volumes (see canMountImages). */
  readonly containerd?: 2;
  /** Registries, HOST:PORT, that the nodes pull from over http; those on the node's 127.0.0.1 need no entry. */
  readonly registries?: readonly string[];
}

const PORTS = { api: 6443, etcd: 2379, etcdPeer: 2380, controllerManager: 10_257 };
/** Disk space for state and for images, unpacked and as archives. */
const NEEDED_BYTES = 2e9;
/** Requires the kernel features that kube-proxy's rules use. */
const SERVICE_LIKE_RULE =
  '--table nat --append OUTPUT --protocol tcp --match conntrack --ctstate NEW --match comment --comment x --jump DNAT --to 127.0.0.1:1'.split(
    ' ',
  );

/** Starts a node in about five seconds; needs root. Everything ends with this process, however it ends. */
export async function startNode({
  images = [],
  stored,
  dns,
  further,
  policies,
  addresses = 'IPv4',
  containerd,
  registries = [],
}: NodeOptions = {}): Promise<KubeNode> {
  const [kube, helper] = [await kubeBinary(), await testbox()];
  const coredns = dns && (await corednsBinary());
  await using stack = new AsyncDisposableStack();
  let owner: AsyncDisposableStack = stack;
  const directory = stack.use(await privateDirectory('node')).path;
  const packages = await nodePackages(directory, containerd && (await containerd2Directories()));
  const cgroups = stack.use(await makeCgroups());
  const first = nodeOf(1, addresses);
  const [primary] = first.families;
  const namespaces = stack.use(await makeNamespaces(directory, packages.env, helper, first));
  const place: Placement = (command, args) => cgroups.system(...namespaces.inNode(command, args));
  const site: Site = { directory, kube, env: packages.env, place };
  const keys = await prepare(site);
  const reach = async (port: number, host = primary.loopback): Promise<number> => {
    const socket = join(directory, `${host}-${port}.sock`);
    return owner.use(await openPortForward(namespaces.inNetwork, helper, socket, formatAddress({ host, port }))).port;
  };
  const server = httpsAt('127.0.0.1', await reach(PORTS.api));
  const innerServer = httpsAt(primary.loopback, PORTS.api);
  const listening = { ...PORTS, bind: anyOf(first), advertise: primary.address, ...servicesOf(first) };
  const forPods = dns && { dns: primary.dns };
  const admin = await keys.issue('admin', ADMIN);
  const kubeconfig = await keys.kubeconfig('admin', server, ADMIN);
  const get = (path: string) => apiGet(server, path, keys.authority.certificate, admin);
  const programs = new Map<string, { readonly component: Component; readonly flags: Parameters<Run>[1] }>();
  const run: Run = async (name, flags) => {
    const component = await startKube(site, name, flags); // ended with the namespaces
    programs.set(name, { component, flags });
    return component;
  };
  const programOf = (name: string) => {
    const program = programs.get(name);
    if (program === undefined) throw new Error(`no ${name} has been started`);
    return program; // our child is the process that entered the namespaces, and the program is its child
  };
  if (stored !== undefined) await copyStore(stored, containerdRoot(site));
  await step('starts a Kubernetes node', async () => {
    await Promise.all([
      startApi(run, get, site, keys, listening),
      startContainerd(site, packages.cni, { node: first, registries }),
    ]);
    await startScheduler(run, site, keys);
    await startKubelet(run, get, site, keys, {
      node: first,
      server: innerServer,
      cgroup: cgroups.path,
      ...forPods,
    });
  });
  if (policies) await step('starts a policy engine', () => startPolicies(site, keys));
  const sites = new Map([[first.name, site]]);
  const furtherNodes = new Map<string, FurtherNode>();
  for (const node of [2, 3].slice(0, further ?? 0).map((number) => nodeOf(number, addresses)))
    await step(`starts ${node.name}`, async () => {
      const plan = { server: httpsAt(primary.address, PORTS.api), ...forPods };
      const shared = { packages, helper, keys, get, plan, registries };
      const started = stack.use(await startFurtherNode(site, namespaces, node, shared));
      sites.set(node.name, started.site);
      furtherNodes.set(node.name, started);
    });
  const importInto = async (file: string, nodes: readonly string[] = [...sites.keys()]) => {
    await Promise.all(nodes.map((name) => importImage(siteOf(sites, name), file)));
  };
  await step('imports images', async () => {
    for (const image of [await testboxImage(directory, helper), ...images]) await importInto(image);
  });
  const cluster = clusterOf(await kubectlBinary(), { kubeconfig, server, ca: keys.authority.certificate, directory });
  if (coredns !== undefined)
    await step('starts CoreDNS', async () => {
      await importInto(await corednsImage(directory, coredns));
      await startDns(cluster, primary.dns);
    });
  owner = stack.move();
  return {
    ...cluster,
    address: primary.address,
    addresses: first.families.map(({ address }) => address),
    innerServer,
    pid: namespaces.pid,
    cgroup: cgroups.path,
    get,
    importImage: importInto,
    inside: (command, args, scope = 'network') =>
      tied(...(scope === 'node' ? namespaces.inNode(command, args) : namespaces.inNetwork(command, args))),
    reach,
    restartApiServer: async () => {
      const former = programOf('kube-apiserver');
      await signalInside(former.component.running.pid, 'SIGKILL');
      await former.component.running.ended;
      const next = await run('kube-apiserver', former.flags);
      await whenUp(next, 'its /readyz to be ok', () => get('/readyz'));
    },
    signalApiServer: (signal) => signalInside(programOf('kube-apiserver').component.running.pid, signal),
    further: furtherNodes,
    [Symbol.asyncDispose]: () => owner.disposeAsync(),
  };
}

function siteOf(sites: ReadonlyMap<string, Site>, name: string): Site {
  const site = sites.get(name);
  if (site === undefined) throw new Error(`there is no ${name}, but ${[...sites.keys()].join(', ')}`);
  return site;
}

/** Tested by creating and removing the namespaces, an overlay mount, a bridge, an iptables rule and the cgroups. */
export const canRunNode: Capability = async () => {
  return (await canBuildKubernetes()) ?? (await tryInNode('a Kubernetes node', [['iptables', SERVICE_LIKE_RULE]]));
};

/**
 * Tested like a node, with rules like kube-router's, and by building kube-router, which is immediate if it is cached.
 */
export const canEnforcePolicies: Capability = async () => {
  return (await canRunNode()) ?? (await tryInNode('a policy engine', POLICY_LIKE_RULES, kubeRouterBinary));
};

/** Tested like a node, and by building containerd 2, which is immediate if it is cached. */
export const canMountImages: Capability = async () => {
  return (await canRunNode()) ?? (await tryInNode('containerd 2', [], containerd2Directories));
};

async function tryInNode(
  what: string,
  commands: readonly Command[],
  build?: () => Promise<unknown>,
): Promise<string | undefined> {
  try {
    const { bavail, bsize } = await statfs(tmpdir());
    if (bavail * bsize < NEEDED_BYTES) return `${what} needs 2 GB free in ${tmpdir()}`;
    await using directory = await privateDirectory('node');
    const { env } = await nodePackages(directory.path);
    await using stack = new AsyncDisposableStack();
    stack.use(await makeCgroups());
    const { inNode } = stack.use(await makeNamespaces(directory.path, env, await testbox()));
    for (const command of commands) await must(...inNode(...command), { env });
    await build?.();
    return undefined;
  } catch (error) {
    return `${what} can't run here: ${messageOf(error)}`;
  }
}
