/**
 * A real Kubernetes for tests, in two sizes:
 *
 *   go/ -> one multi-call binary and one static helper, built once into the cache
 *     -> startControlPlane(): any user; API server and controllers on loopback, Pods do not run
 *     -> startNode(): root; the same plus a kubelet with containerd in separate namespaces, Pods run
 *   -> kubeconfig, kubectl(), a ServiceAccount's kubeconfig -> disposed: no process, mount, namespace, cgroup or file stays
 *
 * All programs are tied to the test process and end with it, however it ends. A part that does not start is an error
 * with the end of its log. canRunControlPlane and canRunNode check a machine beforehand.
 */
export { SHORT_LIVED, type Cluster } from './api.ts';
export type { Etcd } from './etcd.ts';
export { cpuSecondsOf, type ApiServer } from './api-server.ts';
export { canBuildCoredns, kubeBinary, kubectlBinary, testbox } from './binaries.ts';
export { canRunControlPlane, startControlPlane, type ControlPlane } from './control-plane.ts';
export { metricOf, openWatches, requestCount, samplesIn, type Sample } from './metrics.ts';
export { TESTBOX_IMAGE } from './containerd.ts';
export type { StoredImages } from './image-store.ts';
export { endPodsOf } from './job.ts';
export { killContainer } from './kill-container.ts';
export {
  canEnforcePolicies,
  canMountImages,
  canRunNode,
  startNode,
  type KubeNode,
  type NodeOptions,
  type Scope,
} from './node.ts';
export { NODE_ADDRESS } from './network.ts';
export { makeClaimVolume, type ClaimVolume } from './volume.ts';
