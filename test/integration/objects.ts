/** Minimal objects that the API server accepts. */

export function core(kind: string, name: string, labels: object = {}) {
  return { apiVersion: 'v1', kind, metadata: { name, labels } };
}

export function batch(name: string) {
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name } };
}

export function apps(kind: string, name: string) {
  return { apiVersion: 'apps/v1', kind, metadata: { name } };
}

export function podSpec(restartPolicy = 'Always') {
  return { restartPolicy, containers: [{ name: 'main', image: 'none.test/c:1' }] };
}

/** The spec of an application with one replica. */
export function replicated(app: string) {
  const labels = { app };
  return { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec() } };
}

/**
 * One Pod on each node with this label. It tolerates all taints, as agents of a node do: without a kubelet, a node is tainted a
 * minute after its creation.
 */
export function daemon(app: string, nodeSelector: object) {
  const { selector, template } = replicated(app);
  const spec = { ...template.spec, nodeSelector, tolerations: [{ operator: 'Exists' }] };
  return { selector, template: { ...template, spec } };
}

/** The Lease that kolla-db-sync leaves. */
export function migrationLease(name: string, state: 'running' | 'done') {
  const release = '2026.1';
  const ready = state === 'done' ? { 'kolla-pod/ready-for': release } : {};
  const annotations = {
    'kolla-pod/state': state,
    'kolla-pod/phase': 'expand',
    'kolla-pod/release': release,
    ...ready,
  };
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: `kolla-db-sync-${name}`, annotations },
  };
}

export function endpoints(isReady: boolean) {
  return [{ addresses: ['10.9.9.9'], conditions: { ready: isReady } }];
}

export function slice(service: string, isReady: boolean) {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    addressType: 'IPv4',
    metadata: { name: `${service}-1`, labels: { 'kubernetes.io/service-name': service } },
    endpoints: endpoints(isReady),
  };
}

/** A custom resource with a status. */
export function definition(singular: string, kind: string, group: string) {
  const plural = `${singular}s`;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const versions = [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema }];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Namespaced', names: { plural, singular, kind }, versions },
  };
}
