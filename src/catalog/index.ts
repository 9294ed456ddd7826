/**
 * Data about each OpenStack service: one file per service, data only.
 *
 *   a name -> its data (configuration file, databases, migration by phase, check; accounts and endpoints in Keystone;
 *     queue; its own tool's commands after the schema; each container's checks) -> migrate, bootstrap, charts, docs
 *   infrastructure.ts -> the servers they depend on, and their checks
 *   `services:` of kolla-pod.yaml -> own.ts (valibot, all problems with their places) -> the same shape, with precedence
 *
 * A new service is one new file and one line in kolla-services.ts. Nothing here runs. Only user input can be invalid: own.ts.
 */
import type { PodFile } from '../cli/file.ts';
import { INFRASTRUCTURE } from './infrastructure.ts';
import { KOLLA_SERVICES } from './kolla-services.ts';
import type { Probe } from './probe.ts';
import type { KollaService, Service } from './service.ts';

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
export type { ServiceName } from './kolla-services.ts';
export type { Infrastructure } from './infrastructure.ts';
export type { Probe } from './probe.ts';
export type { Listing, ConfigOption, Step, ToolTask, ToolVariable } from './tool.ts';
export { INTERFACES, isLastBeforeRollout, isOneWay, PHASES, versionTablesOf } from './service.ts';
export { chartedServices, knownRelease, RELEASES, UPGRADE_STAGES, upgradesFrom, upgradeStage } from './order.ts';

/** The services of Kolla's images, by name, in the form of kolla-pod.yaml. */
export const SERVICES: readonly Service[] = Object.values(KOLLA_SERVICES).map((service: KollaService) => {
  const { stage: _, charts: _charts, ...own } = service;
  return own;
});

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
