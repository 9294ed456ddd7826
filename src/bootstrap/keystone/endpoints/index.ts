/**
 * A service's entries in Keystone's catalogue.
 *
 *   the service's data, with URLs from templates (want) -> regions, services of the type, endpoints (state; twice there is an
 *     error) -> what differs, and how to end it in place: region, service, endpoint (plan)
 *
 * Keystone does not prevent two equal entries: plan.ts says how two runs at once do not.
 */
import type { IdentityService } from '../../../catalog/index.ts';
import type { Part, Planned } from '../../change.ts';
import { ensuredPart, removal } from '../../ensure.ts';
import type { Entity, Keystone } from '../keystone.ts';
import { planCatalogue } from './plan.ts';
import { readCatalogue, servicesOf } from './state.ts';
import type { WantedService } from './want.ts';

export { wantedServices } from './want.ts';

/**
 * The part `endpoints`.
 * @param wanted the services with their URLs, which removal does without
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
 * The endpoints of the given regions, and each service that then has none in another region. Of the same name and type only:
 * a type under another name is not ours.
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

/** With its URL: what is removed may be one of several. */
function endpointName(service: string, one: Entity): string {
  return [service, one['interface'], one['region_id'], one['url']].join(' ');
}
