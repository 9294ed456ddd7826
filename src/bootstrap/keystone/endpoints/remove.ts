import type { Planned } from '../../change.ts';
import type { Entity, Keystone } from '../keystone.ts';
import { servicesOf } from './state.ts';
import type { WantedService } from './want.ts';

/**
 * The endpoints of the given regions, and each service that then has none in another region. Of the same name and type only:
 * a type under another name is somebody else's.
 */
export async function planCatalogueRemoval(
  keystone: Keystone,
  services: readonly Pick<WantedService, 'name' | 'type'>[],
  regions: readonly string[],
): Promise<Planned[]> {
  const all: Planned[] = [];
  for (const service of services) {
    for (const entity of (await servicesOf(keystone, service)).filter(({ name }) => name === service.name)) {
      const endpoints = await keystone.list(`/endpoints?service_id=${entity.id}`, 'endpoints');
      const ours = endpoints.filter((one) => regions.includes(String(one['region_id'])));
      all.push(...ours.map((one) => removal(keystone, 'endpoint', endpointName(service.name, one), one)));
      if (ours.length === endpoints.length) all.push(removal(keystone, 'service', service.name, entity));
    }
  }
  return all;
}

function removal(keystone: Keystone, kind: 'endpoint' | 'service', name: string, { id }: Entity): Planned {
  const apply = () => keystone.remove(`/${kind}s/${id}`, `delete ${kind} ${name}`);
  return { action: 'delete', kind, name, fields: [], apply };
}

/** With its URL: what is removed may be one of several. */
function endpointName(service: string, one: Entity): string {
  return [service, one['interface'], one['region_id'], one['url']].join(' ');
}
