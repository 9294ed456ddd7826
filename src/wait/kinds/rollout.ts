import type { RolloutVerdict, Workload } from '../../kube/rollout.ts';
import type { ObjectKind } from '../kind.ts';
import { objectWaiter } from '../objects.ts';
import type { Shape } from '../shape.ts';

interface Names extends Pick<ObjectKind, 'word' | 'aliases' | 'means'> {
  /** As manifests write it: `Deployment`. */
  readonly kind: string;
  /** As the API's paths write it: `deployments`. */
  readonly resource: string;
  readonly shape: Shape;
}

/** The kind of a workload, by name or labels, that is waited for until `judge` finds its rollout complete. */
export function rolloutKind(
  { kind, resource, shape, ...names }: Names,
  judge: (workload: Workload) => RolloutVerdict,
): ObjectKind {
  const reference = { group: 'apps', version: 'v1', resource, kind, namespaced: true } as const;
  return {
    form: 'object',
    what: `a ${kind}`,
    ...names,
    by: 'name or labels',
    nameRule: 'subdomain',
    hasNamespace: true,
    options: ['condition', 'jsonpath', 'release'],
    canBeNegated: true,
    reads: ({ name }) => [{ resource: reference, by: 'watch', name }],
    make: (dependency, options, effects) =>
      objectWaiter<Workload>(dependency, options, effects, { resource: reference, shape, judge, ofMany: 'all' }),
  };
}
