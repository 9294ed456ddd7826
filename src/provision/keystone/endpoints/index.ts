/**
 * A service's entries in Keystone's catalogue.
 *
 *   the service's data, with URLs from templates (want) -> regions, services of the type, endpoints (state; duplicates are
 *     an error) -> differences, and how to apply them in place: region, service, endpoint (plan)
 *
 * Keystone does not prevent duplicates: plan.ts describes how concurrent runs avoid them.
 */
import type { IdentityService } from '../../../catalog/index.ts';
import type { Part, Planned } from '../../converge/change.ts';
import { ensuredPart, removal } from '../../converge/ensure.ts';
import type { Entity, Keystone } from '../api/keystone.ts';
import { planCatalogue } from './plan.ts';
import { readCatalogue, servicesOf } from './state.ts';
import type { WantedService } from './want.ts';

export { wantedServices } from './want.ts';

/**
 * The part `endpoints`.
 * @param wanted the services with their URLs, which a removal does not need
 */
export function endpointsPart(
  keystone: Keystone,
  services: readonly IdentityService[],
  regions: readonly string[],
  wanted: readonly WantedService[],
): Part {
  return ensuredPart({
    name: 'endpoints',
    server: keystone,
    read: () => readCatalogue(keystone, wanted),
    differences: (state) => planCatalogue(wanted, state),
    planRemoval: () => planCatalogueRemoval(keystone, services, regions),
  });
}

/**
 * The endpoints of the given regions, and services without endpoints in other regions. Only services with the wanted
 * name and type: a service of that type with another name belongs to another client.
 */
async function planCatalogueRemoval(
  keystone: Keystone,
  services: readonly Pick<WantedService, 'name' | 'type'>[],
  regions: readonly string[],
): Promise<Planned[]> {
  const all: Planned[] = [];
  for (const service of services) {
    for (const entity of (await servicesOf(keystone, service)).filter(({ name }) => name === service.name)) {
      const endpoints = await keystone.list(`/endpoints?service_id=${entity.id}`, 'endpoints');
      const ours = endpoints.filter((one) => regions.includes(String(one['region_id'])));
      all.push(
        ...ours.map((one) => removal(keystone, 'endpoint', endpointName(service.name, one), `/endpoints/${one.id}`)),
      );
      if (ours.length === endpoints.length)
        all.push(removal(keystone, 'service', service.name, `/services/${entity.id}`));
    }
  }
  return all;
}

/**
 * The endpoint's name in messages. It contains the URL, since several endpoints may have the same interface and region.
 */
function endpointName(service: string, one: Entity): string {
  return [service, one['interface'], one['region_id'], one['url']].join(' ');
}
