import { isReady, type PodState } from '../../aio/openstack.ts';
import { oneOf } from '../../support/random.ts';
import { until } from '../../support/until.ts';
import { podsOf } from '../install.ts';
import type { Stage } from '../stage.ts';

/** A random Pod that is Ready and not ending, of those that are wanted. Waits for one: an upgrade may be replacing them. */
export async function readyPod(
  stage: Stage,
  random: () => number,
  isWanted: (metadata: PodState['metadata']) => boolean,
): Promise<string> {
  return await until('a Pod to be struck', async () => {
    const pods = (await podsOf(stage)).filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined);
    const names = pods.filter(({ metadata }) => isWanted(metadata)).map(({ metadata }) => metadata.name);
    return names.length === 0 ? undefined : oneOf(random, names.toSorted());
  });
}
