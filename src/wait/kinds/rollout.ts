import { judgeDeployment, judgeStatefulSet, type RolloutVerdict, type Workload } from '../../kube/rollout.ts';
import type { ObjectKind } from '../dependency/dependency.ts';
import { objectWaiter } from '../dependency/objects.ts';
import { whyUnavailable } from './rollout-reason.ts';
import { CONDITION, fields, listOfFields, NUMBER, objectOf, TEXT, type Shape } from '../shape/shape.ts';

interface Names extends Pick<ObjectKind, 'word' | 'aliases' | 'means'> {
  /** The kind as in manifests: `Deployment`. */
  readonly kind: string;
  /** The plural as in API paths: `deployments`. */
  readonly resource: string;
  readonly shape: Shape;
}

/** A kind of workload, by name or labels. The wait ends when `judge` finds the rollout complete. */
function rolloutKind(
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
      objectWaiter<Workload>(dependency, options, effects, {
        resource: reference,
        shape,
        judge,
        ofMany: 'all',
        async explain(workloads, namespace, signal) {
          const open = workloads.find((each) => judge(each).is === 'pending');
          return open && (await whyUnavailable(await effects.kube(), open, namespace, signal));
        },
      }),
  };
}

export const deployment: ObjectKind = rolloutKind(
  {
    word: 'deployment',
    aliases: ['deployments', 'deploy', 'deployment.apps', 'deployments.apps'],
    kind: 'Deployment',
    means: 'its rollout is complete: all replicas updated and available, no old one left; labels: all of them',
    resource: 'deployments',
    shape: objectOf({
      spec: fields({ replicas: NUMBER }),
      status: fields({
        observedGeneration: NUMBER,
        replicas: NUMBER,
        updatedReplicas: NUMBER,
        availableReplicas: NUMBER,
        conditions: listOfFields(CONDITION),
      }),
    }),
  },
  judgeDeployment,
);

export const statefulset: ObjectKind = rolloutKind(
  {
    word: 'statefulset',
    aliases: ['statefulsets', 'sts', 'statefulset.apps', 'statefulsets.apps'],
    kind: 'StatefulSet',
    means: 'its rollout is complete: all replicas updated (above the partition) and available; labels: all of them',
    resource: 'statefulsets',
    shape: objectOf({
      spec: fields({
        replicas: NUMBER,
        updateStrategy: fields({ type: TEXT, rollingUpdate: fields({ partition: NUMBER }) }),
      }),
      status: fields({
        observedGeneration: NUMBER,
        updatedReplicas: NUMBER,
        availableReplicas: NUMBER,
        currentRevision: TEXT,
        updateRevision: TEXT,
      }),
    }),
  },
  judgeStatefulSet,
);
