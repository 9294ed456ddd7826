import { dirname } from 'node:path';
import { messageOf } from '../../../src/core/errors.ts';
import type { Capability } from '../../../tools/capability.ts';
import { goProgram } from '../../../tools/go-program.ts';
import { GO_DIRECTORY, KUBERNETES } from './version.ts';

/** A cold build needs modules (0.6 GB), Go's build cache (3.2 GB) and the linker's temporary files. */
const BUILD_BYTES = 6e9;
/** Disk space for CoreDNS and kube-router, which have few modules in comparison. */
const SMALL_BUILD_BYTES = 2e9;

/**
 * etcd, the control plane, kubelet and kube-proxy of the selected version in one file: `kube COMPONENT ...`. Built once, by
 * `go build`.
 */
export async function kubeBinary(): Promise<string> {
  return await kubernetesProgram('kube');
}

/** kubectl of the same version. Tests start it a thousand times, so it is not a part of the other file. */
export async function kubectlBinary(): Promise<string> {
  return await kubernetesProgram('kubectl');
}

async function kubernetesProgram(name: 'kube' | 'kubectl'): Promise<string> {
  const { module, sums } = KUBERNETES;
  const version = `v${KUBERNETES.version}`;
  const [major, minor] = KUBERNETES.minor.split('.');
  // Without this, a server reports v0.0.0-master+$Format:%H$, which its own kubectl cannot parse.
  const flags = [
    `-X k8s.io/component-base/version.gitVersion=${version}`,
    `-X k8s.io/component-base/version.gitMajor=${major}`,
    `-X k8s.io/component-base/version.gitMinor=${minor}`,
    `-X k8s.io/client-go/pkg/version.gitVersion=${version}`,
  ];
  return await goProgram({
    name,
    directory: GO_DIRECTORY,
    sources: [module, sums, name],
    module,
    flags,
    room: BUILD_BYTES,
  });
}

/**
 * A static binary with several commands (`go/testbox/main.go`): used by the node's own processes, and the only program
 * in the test images.
 */
export async function testbox(): Promise<string> {
  return await goProgram({ name: 'testbox', directory: GO_DIRECTORY, sources: ['testbox'], flags: [], room: 0 });
}

/** CoreDNS with the plugins of `go/coredns/main.go`. A separate module: its versions must not affect Kubernetes'. */
export async function corednsBinary(): Promise<string> {
  return await goProgram({
    name: 'coredns',
    directory: GO_DIRECTORY,
    sources: ['coredns'],
    flags: [],
    room: SMALL_BUILD_BYTES,
  });
}

/** kube-router as released, for its NetworkPolicy controller alone. */
export async function kubeRouterBinary(): Promise<string> {
  return await goProgram({
    name: 'kube-router',
    directory: GO_DIRECTORY,
    sources: ['kube-router'],
    flags: [],
    room: SMALL_BUILD_BYTES,
    main: 'github.com/cloudnativelabs/kube-router/v2/cmd/kube-router',
  });
}

/** The programs of containerd 2, which mounts image volumes; Debian's containerd is older. */
const CONTAINERD_2 = ['containerd', 'containerd-shim-runc-v2', 'ctr'] as const;

/** The directories of containerd 2's programs, for a PATH. */
export async function containerd2Directories(): Promise<string[]> {
  const directories: string[] = [];
  // Each build uses all CPUs, and the next one its compiled packages.
  for (const name of CONTAINERD_2) {
    const program = await goProgram({
      name,
      directory: GO_DIRECTORY,
      within: 'containerd',
      sources: ['containerd'],
      flags: [],
      room: SMALL_BUILD_BYTES,
      main: `github.com/containerd/containerd/v2/cmd/${name}`,
    });
    directories.push(dirname(program));
  }
  return directories;
}

/** Tested by building testbox and Kubernetes, which is immediate if they are cached. */
export const canBuildKubernetes: Capability = async () => {
  try {
    await testbox();
    await kubeBinary();
    await kubectlBinary();
    return undefined;
  } catch (error) {
    return `Kubernetes can't be built here: ${messageOf(error)}`;
  }
};

/** Tested by building it, which is immediate if it is cached. */
export const canBuildCoredns: Capability = async () => {
  try {
    await corednsBinary();
    return undefined;
  } catch (error) {
    return `CoreDNS can't be built here: ${messageOf(error)}`;
  }
};
