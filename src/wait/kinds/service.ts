import * as v from 'valibot';
import type { KubeObject } from '../../kube/types.ts';
import type { ObjectKind } from '../kind.ts';
import { objectWaiter } from '../objects.ts';
import { fields, FLAG, listOf, listOfFields, objectOf } from '../shape.ts';
import { met, pending, type Verdict } from '../verdict.ts';
import { orByEndpoints } from './endpoints.ts';

/** The parts of an EndpointSlice that decide. */
export interface EndpointSlice extends KubeObject {
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

/** Of all slices of a Service. That nothing is said about an endpoint's readiness means that it is ready. */
export function judgeSlices(slices: readonly EndpointSlice[]): Verdict {
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
  means: 'an endpoint of it is ready and not terminating (its EndpointSlices say so)',
  by: 'name',
  nameRule: 'label',
  hasNamespace: true,
  options: [],
  canBeNegated: true,
  reads: () => [{ resource: RESOURCE, by: 'set', name: undefined }],
  make(dependency, options, effects) {
    // A slice's name is made up: what ties it to the Service is a label.
    const slices = { ...dependency, name: undefined, labels: [`${SERVICE_LABEL}=${dependency.name}`] };
    const bySlices = objectWaiter<EndpointSlice>(slices, options, effects, {
      resource: RESOURCE,
      shape: SHAPE,
      judge: (slice) => judgeSlices([slice]),
      ofMany: judgeSlices,
      negates: 'verdict',
      none: `no EndpointSlice of Service ${dependency.name}`,
      kubectlKind: 'endpointslices',
    });
    return options.endpointsWillDo === true ? orByEndpoints(bySlices, dependency, options, effects) : bySlices;
  },
};
