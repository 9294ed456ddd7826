import { ForbiddenError } from '../../kube/api-error.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { ObjectDependency } from '../dependency.ts';
import { objectWaiter } from '../objects.ts';
import { listOfFields, objectOf } from '../shape.ts';
import { met, pending, type Verdict } from '../verdict.ts';
import type { Effects, WaitOptions, Waiter } from '../waiter.ts';

/** What a Service's EndpointSlices were before there were any. */
export interface Endpoints extends KubeObject {
  readonly subsets?:
    | readonly {
        readonly addresses?: readonly unknown[] | null;
        readonly notReadyAddresses?: readonly unknown[] | null;
      }[]
    | null;
}

const ADDRESSES = listOfFields({});
const SHAPE = objectOf({ subsets: listOfFields({ addresses: ADDRESSES, notReadyAddresses: ADDRESSES }) });

/** What Endpoints mean for who waits for the Service. */
function judgeEndpoints({ subsets }: Endpoints): Verdict {
  const count = (key: 'addresses' | 'notReadyAddresses') =>
    (subsets ?? []).reduce((sum, subset) => sum + (subset[key]?.length ?? 0), 0);
  const ready = count('addresses');
  const state = `${ready} of ${ready + count('notReadyAddresses')} ready`;
  return ready > 0 ? met(state) : pending(state);
}

/**
 * A Service's waiter that looks at its Endpoints where its EndpointSlices may not be read: Roles that were written for
 * kubernetes-entrypoint before it knew slices allow no more.
 */
export function orByEndpoints(
  bySlices: Waiter,
  dependency: ObjectDependency,
  options: WaitOptions,
  effects: Effects,
): Waiter {
  const byEndpoints = objectWaiter<Endpoints>(dependency, options, effects, {
    resource: { group: '', version: 'v1', resource: 'endpoints', kind: 'Endpoints', namespaced: true },
    shape: SHAPE,
    judge: judgeEndpoints,
    ofMany: 'all',
    none: `no Endpoints of Service ${dependency.name}`,
    kubectlKind: 'endpoints',
  });
  return {
    ...bySlices,
    async wait(report, signal) {
      try {
        return await bySlices.wait(report, signal);
      } catch (error) {
        if (!(error instanceof ForbiddenError)) throw error;
        effects.warn(`${error.refusal}: looking at Endpoints instead`);
        return await byEndpoints.wait(report, signal).catch((second: unknown) => {
          // Slices are what should be allowed.
          throw second instanceof ForbiddenError ? error : second;
        });
      }
    },
  };
}
