import type { Grant, Verb } from '../../kube/rbac.ts';
import type { KeyRepository } from '../../catalog/index.ts';

/** What is done to these Secrets. RBAC can't hold a create to a name. */
export const SECRET_VERBS = ['get', 'update'] as const satisfies readonly Verb[];

/** The rights that creating and rotating need, and no more: no other Secret can be read with them. */
export function keysGrants(namespace: string, repositories: readonly KeyRepository[]): Grant[] {
  if (repositories.length === 0) return [];
  const names = repositories.map(({ secret }) => secret);
  return [
    { namespace, rule: { group: '', resource: 'secrets', names, verbs: SECRET_VERBS } },
    { namespace, rule: { group: '', resource: 'secrets', verbs: ['create'] } },
  ];
}
