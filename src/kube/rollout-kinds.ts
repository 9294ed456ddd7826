import { UsageError } from '../core/errors.ts';
import { suggestion } from '../core/nearest.ts';
import { NAME_RULES } from './names.ts';
import {
  judgeDaemonSetRollout,
  judgeDeployment,
  judgeStatefulSet,
  type DaemonSet,
  type Deployment,
  type LabelSelector,
  type RolloutVerdict,
  type StatefulSet,
  type Workload,
} from './rollout.ts';
import type { KubeObject } from './types.ts';

interface OwnerReference {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

/** Metadata of an object that may have an owner. */
export type OwnedMetadata = KubeObject['metadata'] & {
  readonly uid?: string;
  readonly ownerReferences?: readonly OwnerReference[];
};

/** A ReplicaSet or a ControllerRevision, each of which is one version of a workload's Pod template. */
export interface Revision extends KubeObject {
  readonly metadata: OwnedMetadata;
  /** Set for a ControllerRevision. The latest has the highest number. */
  readonly revision?: number;
}

/** A workload that creates its Pods from versions of a template. */
export interface Replicated extends Workload {
  readonly metadata: Workload['metadata'] & { readonly uid?: string };
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: LabelSelector;
    readonly updateStrategy?: { readonly type?: string; readonly rollingUpdate?: { readonly partition?: number } };
    readonly template?: { readonly metadata?: Pick<KubeObject['metadata'], 'annotations' | 'labels'> };
  };
}

/** A kind of workload that replaces its Pods when its template changes. */
export interface RolloutKind {
  readonly word: string;
  readonly aliases: readonly string[];
  readonly kind: string;
  /** The plural, as in API paths. */
  readonly resource: string;
  /** The Pod label with the version of the template. */
  readonly hashLabel: string;
  /** The objects from which the latest template version is found. */
  readonly revisions: 'replicasets' | 'controllerrevisions' | undefined;
  /** The desired number of Pods. */
  wanted(workload: Replicated): number;
  judge(workload: Replicated): RolloutVerdict;
  /** The hash of the latest template; undefined if its controller has created none, or if we have not seen it yet. */
  latestHash(workload: Replicated, own: readonly Revision[]): string | undefined;
}

const DEPLOYMENT_REVISION = 'deployment.kubernetes.io/revision';
const CONTROLLER_HASH = 'controller-revision-hash';
const DEPLOYMENT_HASH = 'pod-template-hash';

const ROLLOUT_KINDS: readonly RolloutKind[] = [
  {
    word: 'deployment',
    aliases: ['deployments', 'deploy', 'deployment.apps', 'deployments.apps'],
    kind: 'Deployment',
    resource: 'deployments',
    hashLabel: DEPLOYMENT_HASH,
    revisions: 'replicasets',
    wanted: ({ spec }) => spec?.replicas ?? 1,
    judge: (workload: Deployment) => judgeDeployment(workload),
    latestHash({ metadata }, own) {
      const revision = metadata.annotations?.[DEPLOYMENT_REVISION];
      const latest = own.find((each) => each.metadata.annotations?.[DEPLOYMENT_REVISION] === revision);
      return revision === undefined ? undefined : latest?.metadata.labels?.[DEPLOYMENT_HASH];
    },
  },
  {
    word: 'statefulset',
    aliases: ['statefulsets', 'sts', 'statefulset.apps', 'statefulsets.apps'],
    kind: 'StatefulSet',
    resource: 'statefulsets',
    hashLabel: CONTROLLER_HASH,
    revisions: undefined,
    wanted: ({ spec }) => spec?.replicas ?? 1,
    judge: (workload: StatefulSet) => judgeStatefulSet(workload),
    latestHash: ({ status }: StatefulSet) => status?.updateRevision,
  },
  {
    word: 'daemonset',
    aliases: ['daemonsets', 'ds', 'daemonset.apps', 'daemonsets.apps'],
    kind: 'DaemonSet',
    resource: 'daemonsets',
    hashLabel: CONTROLLER_HASH,
    revisions: 'controllerrevisions',
    wanted: ({ status }: DaemonSet) => status?.desiredNumberScheduled ?? 1,
    judge: (workload: DaemonSet) => judgeDaemonSetRollout(workload),
    latestHash: (_, own) =>
      own.toSorted((a, b) => (b.revision ?? 0) - (a.revision ?? 0))[0]?.metadata.labels?.[CONTROLLER_HASH],
  },
];

/** A workload as options and operands name it. */
export interface NamedWorkload {
  /** The workload as the user wrote it. */
  readonly text: string;
  readonly kind: RolloutKind;
  readonly name: string;
  /** The namespace; undefined for our own. */
  readonly namespace: string | undefined;
}

/**
 * Parses KIND/NAME[@NAMESPACE]. Throws UsageError with the correct form.
 * @param called what the text is: an option's name, or an operand's
 */
export function parseWorkload(text: string, called: string): NamedWorkload {
  const [, word = '', name = '', namespace] = /^([^/]*)\/([^@]*)(?:@(.*))?$/.exec(text) ?? [];
  const wrong = (why: string) => new UsageError(`${called} '${text}': ${why}`);
  if (!text.includes('/')) throw wrong('it is KIND/NAME[@NAMESPACE], such as deployment/keystone');
  const kind = ROLLOUT_KINDS.find((each) => each.word === word || each.aliases.includes(word));
  const words = ROLLOUT_KINDS.map((each) => each.word);
  if (kind === undefined) throw wrong(`'${word}' has no rollout${suggestion(word, words)}`);
  if (!NAME_RULES.subdomain.is.test(name)) throw wrong(`'${name}' is not a valid name of a ${kind.kind}`);
  if (namespace !== undefined && !NAME_RULES.label.is.test(namespace))
    throw wrong(`'${namespace}' is not a valid name of a namespace`);
  return { text, kind, name, namespace };
}
