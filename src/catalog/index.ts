/**
 * What the helpers know of each OpenStack service: one file a service, data only.
 *
 *   a name -> its data (configuration file, databases, migration by phase, check; accounts and endpoints in Keystone;
 *     queue; what its own tool does beside the schema; what to ask each container) -> dbsync, bootstrap, charts, docs
 *   infrastructure.ts -> what those stand on, and what to ask of it
 *   `services:` of kolla-pod.yaml -> own.ts (valibot, every problem with its place) -> the same shape, before the table
 *
 * A new service is one new file and one line below. Nothing here runs. What can fail is what a user wrote: own.ts.
 */
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
import type { Service } from './service.ts';

export type {
  AccountPlaces,
  EndpointPath,
  Grant,
  Identity,
  IdentityService,
  IdentityUser,
  Interface,
  Phase,
  Place,
  Queue,
  SchemaCheck,
  Service,
  ServiceDatabase,
  Step,
} from './service.ts';
export type { Infrastructure } from './infrastructure.ts';
export type { Probe } from './probe.ts';
export type { Listing, ToolTask, ToolVariable } from './tool.ts';
export { INTERFACES, PHASES } from './service.ts';

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
