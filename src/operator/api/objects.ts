import type { KubeObject, ObjectRef, SetRef } from '../../kube/types.ts';

export const GROUP = 'kolla-pod.io';
export const VERSION = 'v1alpha1';
/** The field manager of our objects and of their status. */
export const MANAGER = 'kolla-operator';

/** A condition as in Kubernetes' API conventions. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** In CamelCase, for programs. */
  readonly reason: string;
  readonly message: string;
  /** When `status` last changed. */
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

/** The values of a key of a Secret or ConfigMap, as YAML. */
export interface ValuesSource {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly name: string;
  readonly key?: string;
}

/** Values of a chart: plain data. */
export type HelmValues = Readonly<Record<string, unknown>>;

interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

interface OwnMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation: number;
  readonly resourceVersion?: string;
  readonly deletionTimestamp?: string;
  readonly ownerReferences?: readonly Owner[];
}

export interface ServiceSpec {
  readonly chart?: { readonly name?: string; readonly version?: string };
  readonly release?: string;
  readonly tag?: string;
  readonly values?: HelmValues;
  readonly valuesFrom?: readonly ValuesSource[];
  readonly timeout?: string;
  readonly forceConflicts?: boolean;
  readonly suspend?: boolean;
}

export type ServicePhase =
  | 'Pending'
  | 'Installing'
  | 'Upgrading'
  | 'RollingBack'
  | 'RollingOut'
  | 'Ready'
  | 'Degraded'
  | 'Suspended';

/** A migration of a service's schema, from its Lease. */
export interface MigrationStatus {
  /** The suffix of the Lease's name: kolla-db-sync-NAME. */
  readonly name: string;
  readonly state?: string;
  readonly phase?: string;
  readonly release?: string;
  /** The newest release whose `contract` or `online` has begun: there is no way back to an older one. */
  readonly contracted?: string;
}

export interface ServiceStatus {
  readonly observedGeneration?: number;
  readonly release?: string;
  readonly phase?: ServicePhase;
  readonly message?: string;
  readonly helm?: {
    readonly revision: number;
    readonly status: string;
    readonly chart: string;
    readonly updated?: string;
  };
  readonly workloads?: { readonly ready: number; readonly total: number };
  readonly failedJobs?: readonly string[];
  /** Jobs that the chart has suspended: `upgrade.pauseBefore`. */
  readonly heldJobs?: readonly string[];
  readonly migrations?: readonly MigrationStatus[];
  readonly conditions?: readonly Condition[];
}

/** One service, as one Helm release of the same name and namespace. */
export interface OpenStackService extends KubeObject {
  readonly metadata: KubeObject['metadata'] & OwnMetadata;
  readonly spec: ServiceSpec;
  readonly status?: ServiceStatus;
}

export interface OpenStackSpec {
  readonly release: string;
  readonly tag?: string;
  readonly registry?: string;
  readonly storageClass?: string;
  readonly values?: HelmValues;
  readonly valuesFrom?: readonly ValuesSource[];
  readonly services: Readonly<
    Record<
      string,
      { readonly enabled?: boolean; readonly chart?: string; readonly version?: string; readonly values?: HelmValues }
    >
  >;
  readonly upgrade?: {
    readonly pauseAfter?: readonly string[];
    readonly pauseBefore?: 'contract';
    readonly checkImages?: boolean;
    readonly skipChecks?: readonly string[];
  };
  readonly timeout?: string;
  readonly suspend?: boolean;
}

export type OpenStackPhase = 'Installing' | 'Upgrading' | 'Configuring' | 'Paused' | 'Ready' | 'Degraded' | 'Suspended';

export interface ServiceSummary {
  readonly name: string;
  readonly state: 'Waiting' | 'Progressing' | 'Ready' | 'Degraded';
  readonly release?: string;
  readonly message?: string;
}

export interface OpenStackStatus {
  readonly observedGeneration?: number;
  readonly release?: string;
  readonly phase?: OpenStackPhase;
  readonly progress?: string;
  readonly message?: string;
  readonly services?: readonly ServiceSummary[];
  readonly conditions?: readonly Condition[];
}

/** A cloud. */
export interface OpenStack extends KubeObject {
  readonly metadata: KubeObject['metadata'] & OwnMetadata;
  readonly spec: OpenStackSpec;
  readonly status?: OpenStackStatus;
}

/** The kinds that an OpenStackWorkload may stand for. */
export type ReplicaKind = 'Deployment' | 'StatefulSet' | 'DaemonSet';

export interface WorkloadSpec {
  /** @default Deployment */
  readonly kind?: ReplicaKind;
  readonly replicas?: number;
  readonly paused?: boolean;
  readonly restart?: string;
  readonly drain?: boolean;
}

export type WorkloadPhase = 'Pending' | 'RollingOut' | 'Paused' | 'Ready' | 'Degraded' | 'Draining' | 'Drained';

/** A Pod of a workload. */
export interface ReplicaStatus {
  readonly pod: string;
  readonly node?: string;
  readonly ready: boolean;
  readonly restarts: number;
  readonly release?: string;
  readonly image?: string;
}

export interface WorkloadStatus {
  readonly observedGeneration?: number;
  readonly phase?: WorkloadPhase;
  readonly message?: string;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  /** For `kubectl scale` and autoscalers. */
  readonly selector?: string;
  readonly pods?: readonly ReplicaStatus[];
  readonly conditions?: readonly Condition[];
}

/** One Deployment, StatefulSet or DaemonSet of the same name and namespace, of a Helm release. */
export interface OpenStackWorkload extends KubeObject {
  readonly metadata: KubeObject['metadata'] & OwnMetadata;
  readonly spec: WorkloadSpec;
  readonly status?: WorkloadStatus;
}

/** Our objects by kind. */
export const KINDS = {
  OpenStack: 'openstacks',
  OpenStackService: 'openstackservices',
  OpenStackWorkload: 'openstackworkloads',
} as const;

export type Kind = keyof typeof KINDS;

/** Any of our objects. */
export type OwnObject = OpenStack | OpenStackService | OpenStackWorkload;

/** All of our objects of one kind in a namespace. */
export function ownSet(kind: Kind, namespace: string): SetRef & { readonly namespace: string } {
  return { group: GROUP, version: VERSION, resource: KINDS[kind], namespace };
}

/** One of our objects. */
export function ownRef(kind: Kind, namespace: string, name: string): ObjectRef {
  return { ...ownSet(kind, namespace), name };
}
