import type { Grant, Verb } from '../kube/rbac.ts';
import { GROUP } from './objects.ts';

const READ: readonly Verb[] = ['get', 'list', 'watch'];
/** What Helm does with the objects of a chart. */
const MANAGE: readonly Verb[] = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

/**
 * The objects that the charts have, by group. The API server lets a client create a Role only if the client has all its
 * permissions itself: that of the charts' Roles are among these.
 */
const MANAGED: Readonly<Record<string, readonly string[]>> = {
  '': ['configmaps', 'persistentvolumeclaims', 'secrets', 'serviceaccounts', 'services'],
  apps: ['daemonsets', 'deployments', 'statefulsets'],
  batch: ['cronjobs', 'jobs'],
  'coordination.k8s.io': ['leases'],
  'networking.k8s.io': ['networkpolicies'],
  policy: ['poddisruptionbudgets'],
  'rbac.authorization.k8s.io': ['rolebindings', 'roles'],
};

/** The minimal permissions of the operator, in its namespace. */
export function operatorGrants(namespace: string): Grant[] {
  const rule = (group: string, resource: string, verbs: readonly Verb[]): Grant => ({
    namespace,
    rule: { group, resource, verbs },
  });
  return [
    rule(GROUP, 'openstacks', READ),
    rule(GROUP, 'openstacks/status', ['patch']),
    rule(GROUP, 'openstackservices', ['create', 'delete', ...READ, 'patch']),
    rule(GROUP, 'openstackservices/status', ['patch']),
    rule('events.k8s.io', 'events', ['create']),
    ...Object.entries(MANAGED).flatMap(([group, resources]) => resources.map((one) => rule(group, one, MANAGE))),
    rule('', 'endpoints', READ),
    rule('', 'pods', READ),
    rule('discovery.k8s.io', 'endpointslices', READ),
    rule('apps', 'controllerrevisions', READ),
    rule('apps', 'replicasets', READ),
  ];
}
