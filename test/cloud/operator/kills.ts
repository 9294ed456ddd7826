import { setTimeout } from 'node:timers/promises';
import { messageOf } from '../../../src/core/errors.ts';
import { until } from '../../support/until.ts';
import { killContainer } from '../chaos/faults.ts';
import type { Stage } from '../stage.ts';
import type { Timeline } from '../timeline.ts';

/** The longest time from a leader's beginning to its end: that of a few steps of an upgrade. */
const LATEST_MS = 240_000;

export interface Kills {
  /** Ends them. Rejects if one failed. @returns how many leaders were killed */
  stop(): Promise<number>;
}

/** SIGKILLs the operator's leader, and Helm with it, at random moments, each after another replica has taken over. */
export function startKills(stage: Stage, random: () => number, count: number, timeline: Timeline): Kills {
  const ending = new AbortController();
  let killed = 0;
  let problem: string | undefined;
  const all = (async () => {
    let former = '';
    while (killed < count) {
      const leader = await until('another leader', async () => {
        const holder = await stage.kubectl(['get', 'lease/kolla-operator', '--output=jsonpath={.spec.holderIdentity}']);
        return ending.signal.aborted || (holder !== '' && holder !== former) ? holder : undefined;
      });
      await setTimeout(random() * LATEST_MS, undefined, { signal: ending.signal });
      const [pod = ''] = leader.split('/');
      await killContainer(stage, pod);
      timeline.say(`killed ${pod}`);
      former = leader;
      killed += 1;
    }
  })().catch((error: unknown) => {
    if (!ending.signal.aborted) problem = messageOf(error);
  });
  return {
    async stop() {
      ending.abort();
      await all;
      if (problem !== undefined) throw new Error(`a kill of the operator failed: ${problem}`);
      return killed;
    },
  };
}
