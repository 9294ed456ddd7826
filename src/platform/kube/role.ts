import type { ObjectRef } from './types.ts';

/** `jobs.batch`, as the API server's own messages say it. */
export function resourceName({ group, resource }: ObjectRef): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** The user in a message such as `User "system:serviceaccount:ns:name" cannot watch ...`. */
export function userIn(message: string): string | undefined {
  return /User "([^"]+)"/.exec(message)?.[1];
}

/** The smallest Role that lets the user watch this object, and its binding, to be fed to `kubectl apply -f -`. */
export function roleFor(ref: ObjectRef, user: string | undefined): string {
  const [, namespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user ?? '') ?? [];
  const name = `kolla-init-${ref.name}`;
  const subject =
    account === undefined
      ? ['- kind: User', '  apiGroup: rbac.authorization.k8s.io', `  name: ${JSON.stringify(user ?? 'USER')}`]
      : ['- kind: ServiceAccount', `  name: ${account}`, `  namespace: ${namespace}`];
  return [
    'apiVersion: rbac.authorization.k8s.io/v1',
    'kind: Role',
    `metadata: {name: ${name}, namespace: ${ref.namespace}}`,
    'rules:',
    `- apiGroups: ["${ref.group}"]`,
    `  resources: [${ref.resource}]`,
    `  resourceNames: [${ref.name}]`,
    '  verbs: [get, watch]',
    '---',
    'apiVersion: rbac.authorization.k8s.io/v1',
    'kind: RoleBinding',
    `metadata: {name: ${name}, namespace: ${ref.namespace}}`,
    `roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: ${name}}`,
    'subjects:',
    ...subject,
    '',
  ].join('\n');
}
