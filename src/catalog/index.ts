/**
 * Data about each OpenStack service: one file per service, data only.
 *
 *   a name -> its data (configuration file, databases, migration by phase, check; accounts and endpoints in Keystone;
 *     queue; its own tool's commands after the schema; each container's checks) -> migrate, bootstrap, charts, docs
 *   infrastructure.ts -> the servers they depend on, and their checks
 *   `services:` of kolla-pod.yaml -> own.ts (valibot, all problems with their places) -> the same shape, with precedence
 *
 * A new service is one new file and one line below. Nothing here runs. Only user input can be invalid: own.ts.
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
  ServiceDatabase,
  UpgradeCheck,
} from './service.ts';
export type { Infrastructure } from './infrastructure.ts';
export type { Probe } from './probe.ts';
export type { Listing, ConfigOption, Step, ToolTask, ToolVariable } from './tool.ts';
export { INTERFACES, isLastBeforeRollout, isOneWay, PHASES, versionTablesOf } from './service.ts';
export { knownRelease, RELEASES, UPGRADE_STAGES, upgradesFrom, upgradeStage } from './order.ts';

/** The services of Kolla's images, by name. */
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

/** The service with that name; undefined if unknown. */
export function serviceNamed(name: string): Service | undefined {
  return SERVICES.find((service) => service.name === name);
}

/** Commands of kolla-db-sync and kolla-bootstrap, which cannot be names of services. */
const COMMANDS = ['status', 'ensure', 'rbac', 'upgrade-check', 'plan', 'delete', 'keys'];

/**
 * All known services: those of kolla-pod.yaml first, then built-in ones it does not redefine. ConfigError for an
 * invalid section.
 */
export async function knownServices(podFile: PodFile | undefined): Promise<readonly Service[]> {
  const section = podFile?.sectionOf('services');
  if (podFile === undefined || section === undefined) return SERVICES;
  // Loaded lazily: most runs have no custom services and need no schema.
  const { ownServices } = await import('./own.ts');
  const own = ownServices(podFile.file, section, COMMANDS);
  return [...own, ...SERVICES.filter(({ name }) => own.every((one) => one.name !== name))];
}

/** A container's checks, with its service. */
export interface ServiceProbe extends Probe {
  readonly service: string;
}

/** The checks of all of Kolla's containers, in the order of services. */
export function allProbes(): ServiceProbe[] {
  return [...SERVICES, ...INFRASTRUCTURE]
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name, probes = [] }) => probes.map((probe) => ({ service: name, ...probe })));
}
