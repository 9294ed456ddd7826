import { UsageError } from '../../core/errors.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { ObjectKind } from '../dependency/dependency.ts';
import { objectWaiter } from '../dependency/objects.ts';
import { fields, FLAG, listOfFields, NUMBER, objectOf, TEXT } from '../shape/shape.ts';
import { met, pending, type WaitState } from '../dependency/verdict.ts';
import { POD_RESOURCE } from './pod.ts';

interface Container {
  readonly name: string;
  readonly restartPolicy?: string;
}

interface State {
  readonly waiting?: { readonly reason?: string };
  readonly terminated?: { readonly reason?: string; readonly exitCode?: number };
}

/** The fields of this Pod that the verdict needs. */
interface OwnPod extends KubeObject {
  readonly spec?: { readonly containers?: readonly Container[]; readonly initContainers?: readonly Container[] };
  readonly status?: {
    readonly containerStatuses?: readonly (Container & { readonly ready: boolean; readonly state?: State })[];
    readonly initContainerStatuses?: readonly (Container & { readonly ready: boolean; readonly state?: State })[];
  };
}

const CONTAINERS = listOfFields({ name: TEXT, restartPolicy: TEXT });
const STATUSES = listOfFields({
  name: TEXT,
  ready: FLAG,
  state: fields({ waiting: fields({ reason: TEXT }), terminated: fields({ reason: TEXT, exitCode: NUMBER }) }),
});
const SHAPE = objectOf({
  spec: fields({ containers: CONTAINERS, initContainers: CONTAINERS }),
  status: fields({ containerStatuses: STATUSES, initContainerStatuses: STATUSES }),
});

/** The state of one of our Pod's containers. Native sidecars are listed among the init containers. */
export function judgeContainer({ status = {} }: OwnPod, name: string): WaitState {
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const found = all.find((container) => container.name === name);
  if (found === undefined) return pending('not started yet');
  if (found.ready) return met('ready');
  const { waiting, terminated } = found.state ?? {};
  if (terminated)
    return pending(`exited with code ${terminated.exitCode ?? '?'} (${terminated.reason ?? 'no reason given'})`);
  return pending(waiting ? `waiting: ${waiting.reason ?? 'no reason given'}` : 'not ready');
}

/**
 * Why waiting for that container would be futile; undefined if it would not.
 * @param own our own container, if known
 */
export function whyNeverReady({ spec = {} }: OwnPod, name: string, own: string | undefined): string | undefined {
  const { containers = [], initContainers = [] } = spec;
  const all = [...initContainers, ...containers].map((container) => container.name);
  if (!all.includes(name)) return `this Pod has no such container; it has ${all.join(', ')}`;
  if (name === own) return 'this is our own container, which is not ready before the wait ends';
  const before = initContainers.findIndex((container) => container.name === own);
  // A sidecar that is running does not block other containers.
  if (before === -1 || initContainers[before]?.restartPolicy === 'Always') return undefined;
  const isLater = all.indexOf(name) > before;
  return isLater ? `it starts only after this init container (${own}) has exited` : undefined;
}

export const container: ObjectKind = {
  form: 'object',
  word: 'container',
  aliases: ['containers'],
  what: 'a container',
  means:
    "the container of this Pod is ready, including native sidecars. Needs the Pod's name (POD_NAME, or the " +
    'host name)',
  by: 'name',
  nameRule: 'label',
  hasNamespace: false,
  options: [],
  canBeNegated: true,
  reads: (_, podName) => [{ resource: POD_RESOURCE, by: 'own watch', name: podName }],
  make(dependency, options, effects) {
    const { name = '', text } = dependency;
    const { podName, container: own } = options.self;
    const judge = (pod: OwnPod) => {
      const inVain = whyNeverReady(pod, name, own);
      if (inVain !== undefined) throw new UsageError(`wait '${text}': ${inVain}`);
      return judgeContainer(pod, name);
    };
    return objectWaiter<OwnPod>({ ...dependency, name: podName }, options, effects, {
      resource: POD_RESOURCE,
      shape: SHAPE,
      judge,
      ofMany: 'all',
      negates: 'verdict',
      isAlone: true,
      none: `no Pod ${podName} (set POD_NAME from metadata.name if that is not this Pod's)`,
      kubectlKind: 'pod',
    });
  },
};
