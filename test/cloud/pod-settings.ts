import type { PodState } from '../aio/openstack.ts';
import type { Stage } from './stage.ts';

interface WithVolumes extends PodState {
  readonly spec: {
    readonly volumes: readonly { readonly name: string; readonly configMap?: { readonly name: string } }[];
  };
}

/** A Pod's kolla-pod.yaml, which names its checks and the actions of its config watch; empty if it has none. */
export async function settingsOf(stage: Stage, pod: PodState): Promise<string> {
  const { volumes } = (pod as WithVolumes).spec;
  const name = volumes.find((volume) => volume.name === 'pod-yaml')?.configMap?.name;
  return name === undefined ? '' : await stage.kubectl(['get', `configmap/${name}`, '--output=json']);
}
