import { watchRule, type Grant } from '../../kube/rbac.ts';
import type { NamedWorkload } from '../../kube/rollout-kinds.ts';

/**
 * The permissions for waiting for these rollouts: each workload by name; Pods and their templates' revisions by label,
 * which a Role cannot limit to names.
 * @param own the default namespace
 */
export function rolloutGrants(workloads: readonly NamedWorkload[], own: string): Grant[] {
  return workloads.flatMap(({ kind, name, namespace: given }) => {
    const namespace = given ?? own;
    const apps = { group: 'apps', version: 'v1', namespace } as const;
    const rules = [
      watchRule({ ...apps, resource: kind.resource, name }),
      ...(kind.revisions === undefined ? [] : [watchRule({ ...apps, resource: kind.revisions })]),
      watchRule({ group: '', version: 'v1', resource: 'pods', namespace }),
    ];
    return rules.map((rule) => ({ namespace, rule }));
  });
}
