import type { KubeObject, ObjectRef, SetRef } from '../kube/types.ts';

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
  readonly upgrade?: { readonly pauseAfter?: readonly string[] };
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

/** Our objects by kind. */
export const KINDS = {
  OpenStack: 'openstacks',
  OpenStackService: 'openstackservices',
} as const;

export type Kind = keyof typeof KINDS;

/** All of our objects of one kind in a namespace. */
export function ownSet(kind: Kind, namespace: string): SetRef & { readonly namespace: string } {
  return { group: GROUP, version: VERSION, resource: KINDS[kind], namespace };
}

/** One of our objects. */
export function ownRef(kind: Kind, namespace: string, name: string): ObjectRef {
  return { ...ownSet(kind, namespace), name };
}
