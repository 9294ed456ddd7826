/**
 * A service's entries in Keystone's catalogue.
 *
 *   the service's data, with URLs from templates (want) -> regions, services of the type, endpoints (state; twice there is an
 *     error) -> what differs, as data (plan) -> made, or changed in place: region, service, endpoint (apply)
 *
 * Keystone keeps nobody from making the same entry twice: apply.ts says how two runs at once do not.
 */
import type { IdentityService } from '../../../catalog/index.ts';
import type { Part } from '../../change.ts';
import type { Keystone } from '../keystone.ts';
import { applyCatalogue } from './apply.ts';
import { planCatalogue } from './plan.ts';
import { readCatalogue } from './state.ts';
import { planCatalogueRemoval } from './remove.ts';
import type { WantedService } from './want.ts';

export { wantedServices, type Templates, type WantedService } from './want.ts';

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
  return {
    name: 'endpoints',
    async plan() {
      const state = await readCatalogue(keystone, wanted);
      return planCatalogue(wanted, state).map((change) => ({
        ...change,
        apply: () => applyCatalogue(keystone, state, change),
      }));
    },
    planRemoval: () => planCatalogueRemoval(keystone, services, regions),
  };
}
