import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeCgroups } from './cgroups.ts';
import { must } from '../../../tools/process.ts';
import { startKube, type Component, type Placement, type Site } from './component.ts';
import { startContainerd } from './containerd.ts';
import type { Get } from './control-plane.ts';
import type { ClusterKeys } from './credentials.ts';
import { startKubelet, type KubeletPlan } from './kubelet.ts';
import { joinNetworks, makeNamespaces, signalInside, type Namespaces } from './namespaces.ts';
import { FIRST_NODE, type NodeIdentity } from './network.ts';
import type { NodePackages } from './packages.ts';

export interface FurtherNode extends AsyncDisposable {
  readonly site: Site;
  /** PID 1 of the node, with its pid in this machine's PID namespace. */
  readonly pid: number;
  /** Runs commands in its network, with this machine's files. */
  readonly inNetwork: Placement;
  /** Sends a signal to its kubelet. */
  signalKubelet(signal: NodeJS.Signals): Promise<void>;
  /** Disconnects it from the other nodes, or connects it again. */
  setCable(state: 'up' | 'down'): Promise<void>;
  /** Ends all of its processes at once, with what a machine's memory holds, and starts it again. Resolves when it is Ready. */
  powerCycle(): Promise<void>;
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
  const place: Placement = (command, args) => cgroups.system(...namespaces.inNode(command, args));
  const site: Site = { ...first, directory, place };
  const programs = new Map<string, Component>();
  const run = async (name: string, flags: Readonly<Record<string, string>>) => {
    const component = await startKube(site, name, flags);
    programs.set(name, component);
    return component;
  };
  const boot = async () => {
    await startContainerd(site, packages.cni, { node, registries });
    await startKubelet(run, get, site, keys, { ...plan, node, cgroup: cgroups.path });
  };
  await boot();
  const kept = stack.move();
  return {
    site,
    pid: namespaces.pid,
    inNetwork: namespaces.inNetwork,
    signalKubelet: async (signal) => {
      await signalInside(programs.get('kubelet')?.running.pid ?? 0, signal);
    },
    setCable: async (state) => {
      await must(...namespaces.inNetwork('ip', ['link', 'set', `to-${FIRST_NODE.name}`, state]), { env: packages.env });
    },
    powerCycle: async () => {
      // All but PID 1 and the shell. What they had mounted or kept in /run would be gone as well.
      await must(...site.place('sh', ['-c', POWER_OFF]), { env: site.env });
      await boot();
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const POWER_OFF = `
kill -9 -1
grep -E ' /(run|var/lib/kubelet)/' /proc/self/mounts | cut -d ' ' -f 2 | sort -r | while read -r at; do umount -l "$at"; done
rm -rf /run/*
`;
