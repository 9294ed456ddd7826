import type { ObjectRef, SetRef } from './types.ts';
import type { ApiError } from './api-error.ts';
import { rolesFor, rolesYaml, watchRule, type RbacSubject } from './rbac.ts';
import type { Timing } from './timing.ts';

type Ref = ObjectRef | SetRef;

/** The resource as in the API server's messages: `jobs.batch`. */
export function resourceName({ group, resource }: Pick<Ref, 'group' | 'resource'>): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** Where the denial applies: ` in namespace openstack` or ` in the cluster`. */
export function placeOf({ namespace = '' }: Pick<Ref, 'namespace'>): string {
  return namespace === '' ? 'in the cluster' : `in namespace ${namespace}`;
}

/** The user named in a message such as `User "system:serviceaccount:ns:name" cannot watch ...`. */
export function userIn(message: string): string | undefined {
  return /User "([^"]+)"/.exec(message)?.[1];
}

/**
 * The message, logged once, for a resource that cannot be watched.
 * @param error 403, 405, or our own limit
 */
export function unwatchable(ref: Ref, { status, message }: ApiError, { pollMs }: Timing): string {
  const what = `${resourceName(ref)} ${placeOf(ref)}`;
  const instead = `polling every ${pollMs / 1000} s instead`;
  if (status !== 403) return `${message}: ${what}: ${instead}`;
  // The watch of a set may need a list first.
  const [, verb = 'watch'] = / cannot (list|watch) /.exec(message) ?? [];
  return `${userIn(message) ?? 'this user'} may not ${verb} ${what}: ${instead}; add the verb ${verb} to its ${roleKind(ref)}`;
}

function roleKind({ namespace = '' }: Pick<Ref, 'namespace'>): 'Role' | 'ClusterRole' {
  return namespace === '' ? 'ClusterRole' : 'Role';
}

/**
 * The minimal Role for the user to watch this object or set, and its binding, for `kubectl apply -f -`. A ClusterRole
 * for cluster-scoped resources, or all namespaces.
 */
export function roleFor(ref: Ref, user: string | undefined): string {
  const role = `kolla-init-${'name' in ref ? ref.name : ref.resource}`;
  const where = ref.namespace === '' ? undefined : ref.namespace;
  return rolesYaml(
    rolesFor([{ namespace: where, rule: watchRule(ref) }], subjectOf(user), { role, clusterRole: role }),
  );
}

/** The subject of a binding, from a user's name in the API server's message; a placeholder if it is unknown. */
export function subjectOf(user: string | undefined): RbacSubject {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user ?? '') ?? [];
  if (namespace !== undefined && name !== undefined) return { kind: 'ServiceAccount', name, namespace };
  return { kind: 'User', name: user ?? 'USER' };
}
