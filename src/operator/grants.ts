import type { Grant, Verb } from '../kube/rbac.ts';
import { GROUP } from './api/objects.ts';

const WATCH: readonly Verb[] = ['list', 'watch'];
/** What Helm does with the objects of a chart. */
const MANAGE: readonly Verb[] = ['create', 'delete', 'get', 'patch'];

/**
 * The objects of the charts, by group, with the verbs on each. The API server lets a client create a Role only if the client
 * has all its permissions itself: those of the charts' Roles are among these.
 */
const RULES: readonly (readonly [group: string, resource: string, verbs: readonly Verb[]])[] = [
  [GROUP, 'openstacks', WATCH],
  [GROUP, 'openstacks/status', ['patch']],
  [GROUP, 'openstackservices', [...MANAGE, ...WATCH]],
  [GROUP, 'openstackservices/status', ['patch']],
  [GROUP, 'openstackworkloads', [...MANAGE, ...WATCH]],
  [GROUP, 'openstackworkloads/status', ['patch']],
  ['events.k8s.io', 'events', ['create']],
  ['coordination.k8s.io', 'leases', ['create', 'get', 'list', 'update', 'watch']],
  ['', 'configmaps', [...MANAGE, ...WATCH]],
  ['', 'persistentvolumeclaims', MANAGE],
  ['', 'pods', ['create', 'delete', 'get', ...WATCH]],
  // Helm's records, too.
  ['', 'secrets', [...MANAGE, ...WATCH, 'update']],
  // Helm 4 watches whatever a hook creates.
  ['', 'serviceaccounts', [...MANAGE, ...WATCH]],
  ['', 'services', MANAGE],
  ['apps', 'controllerrevisions', WATCH],
  ['apps', 'daemonsets', [...MANAGE, ...WATCH]],
  ['apps', 'deployments', [...MANAGE, ...WATCH]],
  ['apps', 'replicasets', WATCH],
  ['apps', 'statefulsets', [...MANAGE, ...WATCH]],
  ['batch', 'cronjobs', MANAGE],
  ['batch', 'jobs', [...MANAGE, ...WATCH]],
  ['networking.k8s.io', 'networkpolicies', MANAGE],
  // Of workloads with two or more replicas.
  ['policy', 'poddisruptionbudgets', MANAGE],
  ['rbac.authorization.k8s.io', 'rolebindings', [...MANAGE, ...WATCH]],
  ['rbac.authorization.k8s.io', 'roles', [...MANAGE, ...WATCH]],
];

/** The minimal permissions of the operator, in its namespace. */
export function operatorGrants(namespace: string): Grant[] {
  return RULES.map(([group, resource, verbs]) => ({ namespace, rule: { group, resource, verbs } }));
}
