import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeCgroups } from './cgroups.ts';
import { startKube, type Site } from './component.ts';
import { startContainerd } from './containerd.ts';
import type { Get } from './control-plane.ts';
import type { ClusterKeys } from './credentials.ts';
import { startKubelet, type KubeletPlan } from './kubelet.ts';
import { joinNetworks, makeNamespaces, type Namespaces } from './namespaces.ts';
import type { NodeIdentity } from './network.ts';
import type { NodePackages } from './packages.ts';

export interface FurtherNode extends AsyncDisposable {
  readonly site: Site;
}

/** State shared with the first node. */
export interface Shared {
  readonly packages: NodePackages;
  readonly helper: string;
  readonly keys: ClusterKeys;
  readonly get: Get;
  readonly plan: Pick<KubeletPlan, 'server' | 'dns'>;
  readonly registries: readonly string[];
}

/** Starts containerd, kubelet and kube-proxy in separate namespaces, and waits until the node is Ready. */
export async function startFurtherNode(
  first: Site,
  beside: Namespaces,
  node: NodeIdentity,
  shared: Shared,
): Promise<FurtherNode> {
  const { packages, helper, keys, get, plan, registries } = shared;
  await using stack = new AsyncDisposableStack();
  const directory = join(first.directory, node.name);
  for (const name of ['', 'log', 'keys']) await mkdir(join(directory, name));
  const cgroups = stack.use(await makeCgroups());
  const namespaces = stack.use(await makeNamespaces(directory, packages.env, helper, node));
  await joinNetworks(beside, namespaces, node, packages.env);
  const site: Site = { ...first, directory, place: namespaces.inNode };
  await startContainerd(site, packages.cni, { node, registries });
  const run = (name: string, flags: Readonly<Record<string, string>>) => startKube(site, name, flags);
  await startKubelet(run, get, site, keys, { ...plan, node, cgroup: cgroups.path });
  const kept = stack.move();
  return { site, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
