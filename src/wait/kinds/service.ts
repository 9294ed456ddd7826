import * as v from 'valibot';
import type { KubeObject } from '../../kube/types.ts';
import type { ObjectKind, ObjectDependency } from '../dependency/dependency.ts';
import { objectWaiter } from '../dependency/objects.ts';
import { fields, FLAG, listOf, listOfFields, objectOf } from '../shape/shape.ts';
import { met, pending, type WaitState } from '../dependency/verdict.ts';
import { ForbiddenError } from '../../kube/api-error.ts';
import { whyNoEndpoint } from './service-reason.ts';
import type { Effects, WaitOptions, Waiter } from '../dependency/waiter.ts';

/** The fields of an EndpointSlice that the verdict needs. */
interface EndpointSlice extends KubeObject {
  readonly endpoints?:
    | readonly {
        readonly addresses?: readonly string[];
        readonly conditions?: { readonly ready?: boolean; readonly terminating?: boolean };
      }[]
    | null;
}

const SHAPE = objectOf({
  endpoints: listOfFields({
    addresses: listOf(v.string()),
    conditions: fields({ ready: FLAG, terminating: FLAG }),
  }),
});

/** Judges all slices of a Service together. An endpoint that states no readiness is ready. */
export function judgeSlices(slices: readonly EndpointSlice[]): WaitState {
  const all = slices.flatMap(({ endpoints }) => endpoints ?? []);
  const ready = all.filter(
    ({ addresses = [], conditions = {} }) =>
      addresses.length > 0 && conditions.ready !== false && conditions.terminating !== true,
  );
  const state = `${ready.length} of ${all.length} ready`;
  return ready.length > 0 ? met(state) : pending(state);
}

const SERVICE_LABEL = 'kubernetes.io/service-name';
const RESOURCE = {
  group: 'discovery.k8s.io',
  version: 'v1',
  resource: 'endpointslices',
  kind: 'EndpointSlice',
  namespaced: true,
} as const;

export const service: ObjectKind = {
  form: 'object',
  word: 'service',
  aliases: ['services', 'svc', 'endpoints', 'ep'],
  what: 'a Service',
  means: 'an endpoint of it is ready and not terminating, according to its EndpointSlices',
  by: 'name',
  nameRule: 'label',
  hasNamespace: true,
  options: [],
  canBeNegated: true,
  reads: () => [{ resource: RESOURCE, by: 'set', name: undefined }],
  make(dependency, options, effects) {
    // The name of a slice is generated; a label links it to its Service.
    const slices = { ...dependency, name: undefined, labels: [`${SERVICE_LABEL}=${dependency.name}`] };
    const bySlices = objectWaiter<EndpointSlice>(slices, options, effects, {
      resource: RESOURCE,
      shape: SHAPE,
      judge: (slice) => judgeSlices([slice]),
      ofMany: judgeSlices,
      negates: 'verdict',
      none: `no EndpointSlice of Service ${dependency.name}`,
      kubectlKind: 'endpointslices',
      explain: (seen, namespace, signal) =>
        whyNoEndpoint(effects, dependency.name ?? '', seen.length, namespace, signal),
    });
    return options.fallsBackToEndpoints === true ? orByEndpoints(bySlices, dependency, options, effects) : bySlices;
  },
};

/** Endpoints, the predecessor of EndpointSlices. */
interface Endpoints extends KubeObject {
  readonly subsets?:
    | readonly {
        readonly addresses?: readonly unknown[] | null;
        readonly notReadyAddresses?: readonly unknown[] | null;
      }[]
    | null;
}

const ADDRESSES = listOfFields({});
const ENDPOINTS_SHAPE = objectOf({ subsets: listOfFields({ addresses: ADDRESSES, notReadyAddresses: ADDRESSES }) });

/** Judges Endpoints for a wait on the Service. */
function judgeEndpoints({ subsets }: Endpoints): WaitState {
  const count = (key: 'addresses' | 'notReadyAddresses') =>
    (subsets ?? []).reduce((sum, subset) => sum + (subset[key]?.length ?? 0), 0);
  const ready = count('addresses');
  const state = `${ready} of ${ready + count('notReadyAddresses')} ready`;
  return ready > 0 ? met(state) : pending(state);
}

/**
 * The waiter of a Service. It falls back to Endpoints if EndpointSlices are not permitted, because Roles for older
 * versions of kubernetes-entrypoint allow only Endpoints.
 */
function orByEndpoints(bySlices: Waiter, dependency: ObjectDependency, options: WaitOptions, effects: Effects): Waiter {
  const byEndpoints = objectWaiter<Endpoints>(dependency, options, effects, {
    resource: { group: '', version: 'v1', resource: 'endpoints', kind: 'Endpoints', namespaced: true },
    shape: ENDPOINTS_SHAPE,
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
        effects.warn(`${error.refusal}: using Endpoints instead`);
        return await byEndpoints.wait(report, signal).catch((second: unknown) => {
          // The error asks for permission on EndpointSlices.
          throw second instanceof ForbiddenError ? error : second;
        });
      }
    },
  };
}
