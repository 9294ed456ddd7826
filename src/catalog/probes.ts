import { INFRASTRUCTURE } from './infrastructure.ts';
import { SERVICES } from './index.ts';
import type { Probe } from './probe.ts';

/** A container, and which service's it is. */
export interface ServiceProbe extends Probe {
  readonly service: string;
}

/** How each container of Kolla's is asked, in the order of the services' names. */
export function allProbes(): ServiceProbe[] {
  return [...SERVICES, ...INFRASTRUCTURE]
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name, probes = [] }) => probes.map((probe) => ({ service: name, ...probe })));
}
