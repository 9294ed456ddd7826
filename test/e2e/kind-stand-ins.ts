import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodePackages } from '../cluster/kubernetes/packages.ts';
import type { KubeNode } from '../cluster/kubernetes/index.ts';
import type { Site } from '../cluster/site.ts';
import { CONTAINERD_SOCKET } from '../cluster/kubernetes/containerd.ts';

/**
 * Makes the stand-in for kind, minikube and k3s. The cluster is there already and outlives it; an archive is loaded as kind
 * loads it, by `ctr images import` into the namespace of the kubelet. A command that the pages do not have is an error.
 * @param own a private directory
 * @returns its path; its first argument is the name of the program
 */
export async function kindStandIn(node: KubeNode, own: string): Promise<string> {
  const place = join(own, 'kinds');
  await mkdir(place);
  const { env } = await nodePackages(place);
  const settings = ['PATH', 'LD_LIBRARY_PATH'].map((name) => `${name}='${env[name]}'`).join(' ');
  const [command, args] = node.inside(
    'ctr',
    [`--address=${CONTAINERD_SOCKET}`, '--namespace=k8s.io', 'images'],
    'node',
  );
  const ctr = `env ${settings} ${[command, ...args].join(' ')}`;
  const script = `#!/bin/sh
set -e
echo "stand-in for $1, on a node of the test" >&2
case "$*" in
"kind create cluster" | "kind delete cluster") kubectl get --raw /readyz ;;
"kind load image-archive "* | "minikube image load "* | "k3s ctr images import "*)
  for archive; do :; done
  exec ${ctr} import --all-platforms --digests --snapshotter=overlayfs - < "$archive" ;;
*) echo "unknown command: $*" >&2; exit 64 ;;
esac
`;
  const file = join(place, 'stand-in');
  await writeFile(file, script);
  await chmod(file, 0o700);
  return file;
}

/** Adds the stand-in to a site, by its three names. */
export async function addKinds(site: Site, node: KubeNode, own: string): Promise<void> {
  const file = await kindStandIn(node, own);
  for (const name of ['kind', 'minikube', 'k3s']) await site.add(name, `${file} ${name}`);
}
