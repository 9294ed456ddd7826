/**
 * What the helpers know of each OpenStack service: one file a service, data only.
 *
 *   a name -> its data (configuration file, databases, migration by phase, check) -> dbsync, bootstrap, charts, docs
 *
 * A new service is one new file and one line below. Nothing here reads, runs or fails.
 */
import { keystone } from './keystone.ts';
import type { Service } from './service.ts';

export type { Phase, SchemaCheck, Service, ServiceDatabase, Step } from './service.ts';
export { PHASES } from './service.ts';

export const SERVICES: readonly Service[] = [keystone];

/** The service of that name, or undefined. */
export function serviceNamed(name: string): Service | undefined {
  return SERVICES.find((service) => service.name === name);
}
