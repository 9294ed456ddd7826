/** The fault of a full log volume: Placement's, which is small and in memory. */
import { podsOf } from '../install.ts';
import type { Stage } from '../stage.ts';
import { readyPod } from './ready-pod.ts';

const CHART = 'placement';
/** Of the Pods whose lines are cut where the volume ended. */
export const SMALL_LOG_PODS = /^placement-api-/;
const MIB = 16;
const FILE = '/var/log/kolla/fill';
const DIRECTORY = { mountPath: '/var/log/kolla', source: { emptyDir: { medium: 'Memory', sizeLimit: `${MIB}Mi` } } };

/** Values of all charts, in the form of a globals file's. */
export const SMALL_LOG_VOLUME: object = { [CHART]: { workloads: { api: { volumes: { logs: DIRECTORY } } } } };

/** Fills it in one of Placement's Pods, as the service's user. @returns the Pod */
export async function fillLogVolume(stage: Stage, random: () => number): Promise<string> {
  const pod = await readyPod(stage, random, ({ name }) => SMALL_LOG_PODS.test(name));
  const out = await inside(stage, pod, `head --bytes=${MIB}M /dev/zero >${FILE}; echo $?`);
  if (out !== '1\n') throw new Error(`the log volume of ${pod} is not full, but was to be by the values of the cloud`);
  return pod;
}

export async function emptyLogVolume(stage: Stage, pod: string): Promise<void> {
  // A Pod that was replaced meanwhile has taken its volume with it.
  if ((await podsOf(stage)).some(({ metadata }) => metadata.name === pod)) await inside(stage, pod, `rm ${FILE}`);
}

async function inside(stage: Stage, pod: string, script: string): Promise<string> {
  return await stage.kubectl(['exec', pod, '--', 'bash', '-c', script]);
}
