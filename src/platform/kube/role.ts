import type { ObjectRef, SetRef } from './types.ts';
import type { ApiError } from './api-error.ts';
import type { Timing } from './timing.ts';

type Ref = ObjectRef | SetRef;

/** `jobs.batch`, as the API server's own messages say it. */
export function resourceName({ group, resource }: Pick<Ref, 'group' | 'resource'>): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** ` in namespace openstack`, or ` in the cluster`. */
export function placeOf({ namespace = '' }: Pick<Ref, 'namespace'>): string {
  return namespace === '' ? 'in the cluster' : `in namespace ${namespace}`;
}

/** The user in a message such as `User "system:serviceaccount:ns:name" cannot watch ...`. */
export function userIn(message: string): string | undefined {
  return /User "([^"]+)"/.exec(message)?.[1];
}

/** What to say once when something can't be watched. @param error 403, 405, or our own limit */
export function unwatchable(ref: Ref, { status, message }: ApiError, { pollMs }: Timing): string {
  const what = `${resourceName(ref)} ${placeOf(ref)}`;
  const instead = `asking every ${pollMs / 1000} s instead`;
  if (status !== 403) return `${message}: ${what}: ${instead}`;
  return `${userIn(message) ?? 'this user'} may not watch ${what}: ${instead}; add the verb watch to its ${roleKind(ref)}`;
}

function roleKind({ namespace = '' }: Pick<Ref, 'namespace'>): 'Role' | 'ClusterRole' {
  return namespace === '' ? 'ClusterRole' : 'Role';
}

/**
 * The smallest Role that lets the user watch this object or set, and its binding, to be fed to `kubectl apply -f -`. A
 * ClusterRole for what has no namespace, or is of all. A set can't be limited to names: neither list nor watch of a whole
 * namespace passes resourceNames.
 */
export function roleFor(ref: Ref, user: string | undefined): string {
  const [, accountNamespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user ?? '') ?? [];
  const one = 'name' in ref ? ref.name : undefined;
  const kind = roleKind(ref);
  const metadata = `{name: kolla-init-${one ?? ref.resource}${kind === 'Role' ? `, namespace: ${ref.namespace}` : ''}}`;
  const subject =
    account === undefined
      ? ['- kind: User', '  apiGroup: rbac.authorization.k8s.io', `  name: ${JSON.stringify(user ?? 'USER')}`]
      : ['- kind: ServiceAccount', `  name: ${account}`, `  namespace: ${accountNamespace}`];
  return [
    'apiVersion: rbac.authorization.k8s.io/v1',
    `kind: ${kind}`,
    `metadata: ${metadata}`,
    'rules:',
    `- apiGroups: ["${ref.group}"]`,
    `  resources: [${ref.resource}]`,
    ...(one === undefined ? [] : [`  resourceNames: [${JSON.stringify(one)}]`]),
    `  verbs: [${one === undefined ? 'list' : 'get'}, watch]`,
    '---',
    'apiVersion: rbac.authorization.k8s.io/v1',
    `kind: ${kind}Binding`,
    `metadata: ${metadata}`,
    `roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ${kind}, name: kolla-init-${one ?? ref.resource}}`,
    'subjects:',
    ...subject,
    '',
  ].join('\n');
}
