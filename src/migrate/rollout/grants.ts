import { watchRule, type Grant } from '../../kube/rbac.ts';
import type { NamedWorkload } from './kinds.ts';

/**
 * What waiting for these rollouts asks of the API server: each workload by its name; Pods, and what tells which template is
 * the latest, by labels, which no Role can hold to names.
 * @param own the namespace where none is given
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
