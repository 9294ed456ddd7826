import { defined } from '../../../core/defined.ts';
import { KollaError, UnavailableError } from '../../../core/errors.ts';
import type { Difference } from '../../converge/ensure.ts';
import { ConflictError } from '../../converge/conflict.ts';
import { enabledAgain, ensured } from '../api/ensured.ts';
import type { Entity, Keystone } from '../api/keystone.ts';
import { endpointKey, endpointsLike, servicesOf, type CatalogueState } from './state.ts';
import { isSameUrl, type WantedEndpoint, type WantedService } from './want.ts';

/**
 * The differences, in the order in which they can be applied. Existing objects are changed in place, keeping their ids.
 * Descriptions are kept, since users may edit them.
 */
export function planCatalogue(wanted: readonly WantedService[], state: CatalogueState): Difference<Keystone>[] {
  const regions = new Set(wanted.flatMap(({ endpoints }) => endpoints.map(({ region }) => region)));
  return [
    ...[...regions].filter((region) => !state.regions.has(region)).map((region) => regionOf(region, state)),
    ...wanted.flatMap((service) => ensuredService(service, state)),
    ...wanted.flatMap((service) => service.endpoints.flatMap((endpoint) => endpointOf(service, endpoint, state))),
  ];
}

function regionOf(id: string, { regions }: CatalogueState): Difference<Keystone> {
  return {
    action: 'create',
    kind: 'region',
    name: id,
    fields: [],
    make: async (keystone, doing) => {
      await keystone.create('/regions', 'region', { id }, doing);
      regions.add(id);
    },
  };
}

function ensuredService(service: WantedService, { services }: CatalogueState): Difference<Keystone>[] {
  const { name, type, description } = service;
  return ensured({
    kind: 'service',
    name,
    among: services,
    key: name,
    fields: [{ name: 'type', after: type }],
    create: async (keystone, doing) => {
      const made = await keystone.create('/services', 'service', { name, type, description }, doing);
      await requireAlone(keystone, made, '/services', await servicesOf(keystone, service), doing);
      return made;
    },
  });
}

function endpointOf(
  { name: service }: WantedService,
  endpoint: WantedEndpoint,
  state: CatalogueState,
): Difference<Keystone>[] {
  const key = endpointKey(service, endpoint);
  const found = state.endpoints.get(key);
  const before = found === undefined ? undefined : String(found['url']);
  const { url } = endpoint;
  const fields = [
    ...(before !== undefined && isSameUrl(before, url) ? [] : [{ name: 'url', ...defined({ before }), after: url }]),
    ...(found === undefined ? [] : enabledAgain(found)),
  ];
  if (fields.length === 0) return [];
  const make = async (keystone: Keystone, doing: string): Promise<void> => {
    const there = state.endpoints.get(key);
    if (there !== undefined)
      return await keystone.update(`/endpoints/${there.id}`, 'endpoint', { url, enabled: true }, doing);
    state.endpoints.set(key, await createEndpoint(keystone, state.services.get(service)!.id, endpoint, doing));
  };
  return [{ action: found === undefined ? 'create' : 'update', kind: 'endpoint', name: key, fields, make }];
}

async function createEndpoint(
  keystone: Keystone,
  serviceId: string,
  endpoint: WantedEndpoint,
  doing: string,
): Promise<Entity> {
  const { interface: name, region, url } = endpoint;
  const values = { service_id: serviceId, interface: name, region_id: region, url };
  const made = await keystone.create('/endpoints', 'endpoint', values, doing).catch(async (error: unknown) => {
    // Another run removed the duplicate service that this run had started with; Keystone then returns 400.
    const isGone =
      error instanceof KollaError && (await keystone.find(`/services/${serviceId}`, 'service')) === undefined;
    throw isGone ? new ConflictError(error) : error;
  });
  const all = await keystone.list(`/endpoints?service_id=${serviceId}`, 'endpoints');
  await requireAlone(keystone, made, '/endpoints', endpointsLike(endpoint, all), doing);
  return made;
}

/**
 * Keystone accepts duplicate services and endpoints. Each run therefore reads again after creating an object, and
 * removes its own if there is another. The later of two concurrent runs always finds the object of the earlier one.
 * If both remove theirs, the pause before the next attempt is random; readers wait until the state is stable.
 */
async function requireAlone(
  keystone: Keystone,
  made: Entity,
  path: string,
  all: readonly Entity[],
  doing: string,
): Promise<void> {
  const others = all.filter(({ id }) => id !== made.id);
  if (others.length === 0) return;
  await keystone.remove(`${path}/${made.id}`, `undo our own change: ${doing}`);
  const ids = others.map(({ id }) => id).join(', ');
  throw new ConflictError(new UnavailableError(`cannot ${doing}: another run made it at the same time (${ids})`));
}
