import { setTimeout } from 'node:timers/promises';
import { messageOf } from '../../../src/core/errors.ts';
import { oneOf } from '../../support/random.ts';
import { until } from '../../support/until.ts';
import { killContainer } from '../../cluster/kubernetes/index.ts';
import { strike, type Fault } from '../chaos/faults.ts';
import type { Stage } from '../stage.ts';
import type { Timeline } from '../timeline.ts';

/** The longest time from a leader's beginning to its end: that of a few steps of an upgrade. */
const LATEST_KILL_MS = 240_000;
/** The longest pause between two faults. */
const PAUSE_MS = 90_000;

export interface Strikes {
  /** Ends them, after the fault that lasts. Rejects if one failed. @returns what was done, in order */
  stop(): Promise<readonly string[]>;
}

/**
 * Strikes at random moments of an upgrade until it is stopped.
 * @param kills how often the operator's leader gets SIGKILL, and Helm with it, each after another replica has taken over
 * @param faults of which one after the other is chosen; may be empty
 */
export function startStrikes(
  stage: Stage,
  random: () => number,
  { kills, faults }: { readonly kills: number; readonly faults: readonly Fault[] },
  timeline: Timeline,
): Strikes {
  const ending = new AbortController();
  const { signal } = ending;
  const done: string[] = [];
  const report = (line: string) => {
    done.push(line);
    timeline.say(line);
  };
  const leaders = async () => {
    let former = '';
    for (let i = 0; i < kills; i++) {
      await setTimeout(random() * LATEST_KILL_MS, undefined, { signal });
      former = await until('another leader to be killed', async (saw) => {
        try {
          const path = '--output=jsonpath={.spec.holderIdentity}';
          const leader = await stage.kubectl(['get', 'lease/kolla-operator', path]);
          const [pod = ''] = leader.split('/');
          if (signal.aborted || leader === former) return signal.aborted ? former : undefined;
          await killContainer(stage.kubectl, pod);
          report(`leader killed: ${pod}`);
          return leader;
        } catch (error) {
          saw(messageOf(error)); // the API server may be what was struck, or the Pod evicted
          return undefined;
        }
      });
    }
  };
  const cloud = async () => {
    while (faults.length > 0) {
      await setTimeout(random() * PAUSE_MS, undefined, { signal });
      const fault = oneOf(random, faults);
      timeline.say(`${fault.name} ...`);
      report(`${fault.name}: ${await strike([fault], stage, random)}`);
    }
  };
  const all = Promise.allSettled([leaders(), cloud()]);
  return {
    async stop() {
      ending.abort();
      for (const result of await all)
        if (result.status === 'rejected' && (result.reason as Error).name !== 'AbortError')
          throw new Error(`a fault failed: ${messageOf(result.reason)}`);
      return done;
    },
  };
}
