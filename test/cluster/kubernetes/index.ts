/**
 * A real Kubernetes for tests, in two sizes:
 *
 *   go/ -> one multi-call binary and one static helper, built once into the cache
 *     -> startControlPlane(): any user; API server and controllers on loopback, nothing runs the Pods
 *     -> startNode(): root; the same and a kubelet with containerd in namespaces of their own, Pods really run
 *   -> kubeconfig, kubectl(), a ServiceAccount's kubeconfig -> disposed: no process, mount, namespace, cgroup or file stays
 *
 * All programs are tied to the test process and end with it, however it ends. A part that does not come up is an error
 * with the end of that program's log. What a machine can't have, canRunControlPlane and canRunNode say beforehand.
 */
export type { Cluster } from './api.ts';
export type { Etcd } from './etcd.ts';
export { cpuSecondsOf, type ApiServer } from './api-server.ts';
export { canBuildCoredns, kubeBinary, testbox } from './binaries.ts';
export { canRunControlPlane, startControlPlane, type ControlPlane } from './control-plane.ts';
export { metricOf, openWatches, requestCount, samplesIn, type Sample } from './metrics.ts';
export { TESTBOX_IMAGE } from './containerd.ts';
export { endPodsOf } from './job.ts';
export { canRunNode, startNode, type KubeNode, type NodeOptions, type Scope } from './node.ts';
