import { UnavailableError } from '../../../core/errors.ts';
import { ConflictError } from '../../converge/conflict.ts';
import type { Entity, Keystone } from '../api/keystone.ts';
import type { WantedEndpoint, WantedService } from './want.ts';

/** The part of the wanted catalogue that exists. Created objects are added, so that later changes find them. */
export interface CatalogueState {
  readonly regions: Set<string>;
  /** Services by name. */
  readonly services: Map<string, Entity>;
  /** Endpoints by `endpointKey`. */
  readonly endpoints: Map<string, Entity>;
}

export function endpointKey(service: string, { interface: name, region }: WantedEndpoint): string {
  return `${service} ${name} ${region}`;
}

/**
 * Reads the entries of the wanted types and their endpoints.
 * @throws ConflictError for a duplicate entry or endpoint, which another run may be about to remove; if it persists, the
 * user must decide which one to keep. UnavailableError for a type under another name
 */
export async function readCatalogue(keystone: Keystone, wanted: readonly WantedService[]): Promise<CatalogueState> {
  const state: CatalogueState = { regions: new Set(), services: new Map(), endpoints: new Map() };
  for (const region of new Set(wanted.flatMap(({ endpoints }) => endpoints.map((endpoint) => endpoint.region)))) {
    if ((await keystone.find(`/regions/${encodeURIComponent(region)}`, 'region')) !== undefined)
      state.regions.add(region);
  }
  for (const service of wanted) {
    const entity = only(service, await servicesOf(keystone, service));
    if (entity === undefined) continue;
    state.services.set(service.name, entity);
    const found = await keystone.list(`/endpoints?service_id=${entity.id}`, 'endpoints');
    for (const endpoint of service.endpoints) {
      const key = endpointKey(service.name, endpoint);
      const one = onlyEndpoint(key, endpointsLike(endpoint, found));
      if (one !== undefined) state.endpoints.set(key, one);
    }
  }
  return state;
}

/** All services of the type, whatever their names. */
export async function servicesOf(keystone: Keystone, { type }: Pick<WantedService, 'type'>): Promise<Entity[]> {
  return await keystone.list(`/services?type=${encodeURIComponent(type)}`, 'services');
}

/** Endpoints with the same interface and region. */
export function endpointsLike(wanted: WantedEndpoint, found: readonly Entity[]): Entity[] {
  return found.filter((one) => one['interface'] === wanted.interface && one['region_id'] === wanted.region);
}

function only({ name, type }: WantedService, found: readonly Entity[]): Entity | undefined {
  const [first, second] = found;
  if (second !== undefined) {
    const all = found.map((one) => `${one.id} (${one.name ?? 'without a name'})`).join(', ');
    throw new ConflictError(
      new UnavailableError(
        `the catalogue has ${found.length} services of type ${type}, and clients may use any of them: ` +
          `${all}; remove all but one: openstack service delete ID`,
      ),
    );
  }
  if (first === undefined || first.name === name) return first;
  throw new UnavailableError(
    `the catalogue has a service of type ${type} under the name ${first.name ?? ''}, not ${name}: openstack service set --name ${name} ${first.id}`,
  );
}

function onlyEndpoint(key: string, found: readonly Entity[]): Entity | undefined {
  if (found.length < 2) return found[0];
  const all = found.map((one) => `${one.id} (${String(one['url'])})`).join(', ');
  throw new ConflictError(
    new UnavailableError(
      `the catalogue has ${found.length} endpoints ${key}, and clients may use any of them: ${all}; ` +
        'remove all but one: openstack endpoint delete ID',
    ),
  );
}
