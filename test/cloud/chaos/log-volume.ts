/** The fault of a full log volume: Placement's, which is small and in memory. */
import type { Stage } from '../stage.ts';

const CHART = 'placement';
/** Of the Pods whose lines are cut where the volume ended. */
export const SMALL_LOG_PODS = /^placement-api-/;
const MIB = 16;
const FILE = '/var/log/kolla/fill';
const DIRECTORY = { mountPath: '/var/log/kolla', source: { emptyDir: { medium: 'Memory', sizeLimit: `${MIB}Mi` } } };

/** Values of all charts, in the form of a globals file's. */
export const SMALL_LOG_VOLUME: object = { [CHART]: { workloads: { api: { volumes: { logs: DIRECTORY } } } } };

/** Fills it as the service's user. @returns the workload */
export async function fillLogVolume(stage: Stage): Promise<string> {
  const script = `head --bytes=${MIB}M /dev/zero >${FILE}; echo $?; wc --bytes <${FILE}`;
  const out = await inside(stage, script);
  if (!out.startsWith('1\n')) throw new Error(`the log volume of ${CHART} is not full: ${out}`);
  return CHART;
}

export async function emptyLogVolume(stage: Stage): Promise<void> {
  await inside(stage, `rm --force ${FILE}`);
}

async function inside(stage: Stage, script: string): Promise<string> {
  return await stage.kubectl(['exec', `deployment/${CHART}-api`, '--', 'bash', '-c', script]);
}
