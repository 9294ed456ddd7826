import type { Grant, Verb } from '../kube/rbac.ts';
import { GROUP } from './api/objects.ts';
import { WATCHES } from './watches.ts';

/** What Helm does with the objects of a chart. */
const MANAGE: readonly Verb[] = ['create', 'delete', 'get', 'patch'];
/** Helm 4 also watches whatever it waits for, and what a hook creates. */
const WATCH: readonly Verb[] = ['list', 'watch'];

/**
 * The objects of the charts and ours, by group, with the verbs on each; what the controllers watch is added from their table.
 * The API server lets a client create a Role only if the client has all its permissions itself: those of the charts' Roles
 * are among these.
 */
const RULES: readonly (readonly [group: string, resource: string, verbs: readonly Verb[]])[] = [
  [GROUP, 'openstacks', []],
  [GROUP, 'openstacks/status', ['patch']],
  [GROUP, 'openstackservices', MANAGE],
  [GROUP, 'openstackservices/status', ['patch']],
  [GROUP, 'openstackworkloads', MANAGE],
  [GROUP, 'openstackworkloads/status', ['patch']],
  ['events.k8s.io', 'events', ['create']],
  ['coordination.k8s.io', 'leases', ['create', 'get', 'update']],
  ['', 'configmaps', MANAGE],
  ['', 'persistentvolumeclaims', MANAGE],
  ['', 'pods', ['create', 'delete', 'get']],
  // Helm's records, too.
  ['', 'secrets', [...MANAGE, 'update']],
  ['', 'serviceaccounts', [...MANAGE, ...WATCH]],
  ['', 'services', MANAGE],
  ['apps', 'controllerrevisions', WATCH],
  ['apps', 'daemonsets', MANAGE],
  ['apps', 'deployments', MANAGE],
  ['apps', 'replicasets', WATCH],
  ['apps', 'statefulsets', MANAGE],
  ['batch', 'cronjobs', MANAGE],
  ['batch', 'jobs', MANAGE],
  ['networking.k8s.io', 'networkpolicies', MANAGE],
  // Of workloads with two or more replicas.
  ['policy', 'poddisruptionbudgets', MANAGE],
  ['rbac.authorization.k8s.io', 'rolebindings', [...MANAGE, ...WATCH]],
  ['rbac.authorization.k8s.io', 'roles', [...MANAGE, ...WATCH]],
];

/** The minimal permissions of the operator, in its namespace. */
export function operatorGrants(namespace: string): Grant[] {
  const watched = new Map(Object.values(WATCHES).map(({ set }) => [keyOf(set(namespace)), set(namespace)]));
  const known = RULES.map(([group, resource, verbs]) => {
    const isWatched = watched.delete(keyOf({ group, resource }));
    return { group, resource, verbs: isWatched ? [...verbs, ...WATCH] : verbs };
  });
  const others = [...watched.values()].map(({ group, resource }) => ({ group, resource, verbs: WATCH }));
  return [...known, ...others].map((rule) => ({ namespace, rule }));
}

function keyOf({ group, resource }: { readonly group: string; readonly resource: string }): string {
  return `${group}/${resource}`;
}
