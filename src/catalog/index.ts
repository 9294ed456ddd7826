/**
 * What the helpers know of each OpenStack service: one file a service, data only.
 *
 *   a name -> its data (configuration file, databases, migration by phase, check; accounts and endpoints in Keystone;
 *     queue; what its own tool does beside the schema; what to ask each container) -> migrate, bootstrap, charts, docs
 *   infrastructure.ts -> what those stand on, and what to ask of it
 *   `services:` of kolla-pod.yaml -> own.ts (valibot, every problem with its place) -> the same shape, before the table
 *
 * A new service is one new file and one line below. Nothing here runs. What can fail is what a user wrote: own.ts.
 */
import type { PodFile } from '../cli/file.ts';
import { aodh } from './aodh.ts';
import { barbican } from './barbican.ts';
import { blazar } from './blazar.ts';
import { ceilometer } from './ceilometer.ts';
import { cinder } from './cinder.ts';
import { cloudkitty } from './cloudkitty.ts';
import { cyborg } from './cyborg.ts';
import { designate } from './designate.ts';
import { glance } from './glance.ts';
import { gnocchi } from './gnocchi.ts';
import { heat } from './heat.ts';
import { horizon } from './horizon.ts';
import { INFRASTRUCTURE } from './infrastructure.ts';
import { ironic } from './ironic.ts';
import { keystone } from './keystone.ts';
import { magnum } from './magnum.ts';
import { manila } from './manila.ts';
import { masakari } from './masakari.ts';
import { mistral } from './mistral.ts';
import { neutron } from './neutron.ts';
import { nova } from './nova.ts';
import { novaCell } from './nova-cell.ts';
import { octavia } from './octavia.ts';
import { placement } from './placement.ts';
import { skyline } from './skyline.ts';
import { tacker } from './tacker.ts';
import { trove } from './trove.ts';
import { watcher } from './watcher.ts';
import type { Probe } from './probe.ts';
import type { Service } from './service.ts';

export type {
  Figure,
  Grant,
  Identity,
  IdentityService,
  IdentityUser,
  Interface,
  KeyRepository,
  Phase,
  Queue,
  SchemaCheck,
  Service,
} from './service.ts';
export type { Infrastructure } from './infrastructure.ts';
export type { Probe } from './probe.ts';
export type { Listing, Place, Step, ToolTask, ToolVariable } from './tool.ts';
export { INTERFACES, isLastBeforeRollout, PHASES } from './service.ts';

/** Those of Kolla's images, by name. */
export const SERVICES: readonly Service[] = [
  aodh,
  barbican,
  blazar,
  ceilometer,
  cinder,
  cloudkitty,
  cyborg,
  designate,
  glance,
  gnocchi,
  heat,
  horizon,
  ironic,
  keystone,
  magnum,
  manila,
  masakari,
  mistral,
  neutron,
  nova,
  novaCell,
  octavia,
  placement,
  skyline,
  tacker,
  trove,
  watcher,
];

/** The service of that name, or undefined. */
export function serviceNamed(name: string, services: readonly Service[] = SERVICES): Service | undefined {
  return services.find((service) => service.name === name);
}

/** The first words of kolla-db-sync and kolla-bootstrap that are commands: no service can be reached under such a name. */
const COMMANDS = ['status', 'ensure', 'rbac', 'plan', 'delete', 'keys'];

/**
 * Every service that can be named: those of kolla-pod.yaml first, and of the built-in ones all that it does not
 * describe itself. ConfigError for a section that is wrong.
 */
export async function knownServices(podFile: PodFile | undefined): Promise<readonly Service[]> {
  const section = podFile?.sectionOf('services');
  if (podFile === undefined || section === undefined) return SERVICES;
  // Lazy: most runs have no services of their own, and need no schema.
  const { ownServices } = await import('./own.ts');
  const own = ownServices(podFile.file, section, COMMANDS);
  return [...own, ...SERVICES.filter(({ name }) => own.every((one) => one.name !== name))];
}

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
