import { collectionPath } from './path.ts';
import type { KubeClient, KubeObject } from './types.ts';

/** Reasons of a waiting container that a later attempt alone does not remove. */
const STUCK = new Set([
  'CrashLoopBackOff',
  'CreateContainerConfigError',
  'CreateContainerError',
  'ErrImageNeverPull',
  'ErrImagePull',
  'ImageInspectError',
  'ImagePullBackOff',
  'InvalidImageName',
  'RunContainerError',
]);
/** More would not help a reader. */
const PODS_MAX = 100;
/** On the Pods of a Job. */
export const JOB_NAME = 'batch.kubernetes.io/job-name';

interface Terminated {
  readonly exitCode?: number;
  readonly reason?: string;
  readonly message?: string;
}

interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  /** Of a container with a startup probe: whether the probe has succeeded. */
  readonly started?: boolean;
  readonly restartCount?: number;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly running?: object;
    readonly terminated?: Terminated;
  };
  readonly lastState?: { readonly terminated?: Terminated };
}

/** The fields of a Pod that tell its state. */
export interface Pod extends KubeObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly initContainers?: readonly { readonly name: string; readonly restartPolicy?: string }[];
    readonly containers?: readonly { readonly name: string; readonly image?: string }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly conditions?: readonly {
      readonly type: string;
      readonly status?: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  };
}

/** The Pods with these labels. */
export async function podsOf(
  client: KubeClient,
  namespace: string,
  labelSelector: string,
  signal: AbortSignal,
): Promise<readonly Pod[]> {
  const path = collectionPath({ group: '', version: 'v1', resource: 'pods', namespace });
  // kolla-core has no URLSearchParams.
  const query = `labelSelector=${encodeURIComponent(labelSelector)}&limit=${PODS_MAX}`;
  return (await client.get<{ items?: readonly Pod[] }>(`${path}?${query}`, { signal })).items ?? [];
}

interface Trouble {
  /** The container and its role, `container main`; undefined for the whole Pod. */
  readonly container?: string;
  readonly why: string;
}

/** Why a Pod does not start, in the kubelet's and the scheduler's words; undefined if nothing is known. */
export function problemOf(pod: Pod): string | undefined {
  const trouble = troubleOf(pod);
  return trouble && named(pod, trouble);
}

/** The same, or else the container that the others wait for. */
export function progressOf(pod: Pod): string | undefined {
  const trouble = troubleOf(pod) ?? waitedFor(pod);
  return trouble && named(pod, trouble);
}

/** Why a Pod does not start, without its name. */
export function troubleText(pod: Pod): string | undefined {
  const trouble = troubleOf(pod);
  return trouble && [trouble.container, trouble.why].filter((part) => part !== undefined).join(': ');
}

function named({ metadata }: Pod, { container, why }: Trouble): string {
  return `pod/${metadata.name}${container === undefined ? '' : `, ${container}`}: ${why}`;
}

function troubleOf(pod: Pod): Trouble | undefined {
  const { initContainerStatuses = [], containerStatuses = [], conditions = [] } = pod.status ?? {};
  for (const status of [...initContainerStatuses, ...containerStatuses]) {
    const { reason = '', message = '' } = status.state?.waiting ?? {};
    const container = roleOf(pod, status);
    // The kubelet's message on a crash loop repeats names only; the last exit says more.
    if (reason === 'CrashLoopBackOff') return { container, why: `${reason}${lastExit(status)}` };
    if (STUCK.has(reason)) return { container, why: message === '' ? reason : `${reason}: ${message}` };
    if (isUnstarted(status) && (status.restartCount ?? 0) > 0)
      return { container, why: `its startup probe fails${lastExit(status)}` };
  }
  const unschedulable = conditions.find(({ reason }) => reason === 'Unschedulable');
  return unschedulable && { why: `Unschedulable: ${unschedulable.message ?? ''}` };
}

/** A container that runs or starts while others wait for it, or that alone keeps an ended Pod. */
function waitedFor(pod: Pod): Trouble | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  for (const status of initContainerStatuses) {
    const container = roleOf(pod, status);
    if (isUnstarted(status)) return { container, why: 'its startup probe has not succeeded yet' };
    if (status.state?.running !== undefined && !isSidecar(pod, status)) return { container, why: 'running' };
  }
  const ended = containerStatuses.find(({ state }) => state?.terminated !== undefined);
  const runs = containerStatuses.find(({ state }) => state?.running !== undefined);
  return (
    ended &&
    runs && { container: `container ${runs.name}`, why: `still running, though container ${ended.name} has ended` }
  );
}

/** Running, but its startup probe has not succeeded. Without such a probe a running container has started. */
function isUnstarted({ started, state }: ContainerStatus): boolean {
  return state?.running !== undefined && started === false;
}

function isSidecar({ spec }: Pod, { name }: ContainerStatus): boolean {
  return spec?.initContainers?.find((each) => each.name === name)?.restartPolicy === 'Always';
}

function roleOf(pod: Pod, status: ContainerStatus): string {
  if (isSidecar(pod, status)) return `sidecar ${status.name}`;
  const isInit = pod.status?.initContainerStatuses?.some(({ name }) => name === status.name) === true;
  return `${isInit ? 'init container' : 'container'} ${status.name}`;
}

function lastExit({ restartCount = 0, lastState }: ContainerStatus): string {
  const { exitCode, reason = '' } = lastState?.terminated ?? {};
  const exit = exitCode === undefined ? '' : `, last exited with code ${exitCode}`;
  const why = reason === '' || reason === 'Error' ? '' : ` (${reason})`;
  return `, ${restartCount} ${restartCount === 1 ? 'restart' : 'restarts'}${exit}${why}`;
}
