import { KollaError, UnavailableError } from '../../../core/errors.ts';
import { titleOf } from '../../change.ts';
import { Outdated } from '../../outdated.ts';
import type { Entity, Keystone } from '../keystone.ts';
import type { CatalogueChange } from './plan.ts';
import { endpointKey, endpointsLike, servicesOf, type CatalogueState } from './state.ts';
import type { WantedEndpoint, WantedService } from './want.ts';

/** Ends one difference, and puts what it made into the state. What is there is changed in place, under its id. */
export async function applyCatalogue(
  keystone: Keystone,
  state: CatalogueState,
  change: CatalogueChange,
): Promise<void> {
  const doing = `${change.action} ${titleOf(change)}`;
  switch (change.does) {
    case 'region':
      await keystone.create('/regions', 'region', { id: change.wants }, doing);
      return void state.regions.add(change.wants);
    case 'service':
      return await applyService(keystone, state, change.wants, doing);
    case 'endpoint':
      return await applyEndpoint(keystone, state, change.wants, doing);
  }
}

async function applyService(
  keystone: Keystone,
  state: CatalogueState,
  service: WantedService,
  doing: string,
): Promise<void> {
  const { name, type, description } = service;
  const found = state.services.get(name);
  if (found !== undefined) return await keystone.update(`/services/${found.id}`, 'service', { enabled: true }, doing);
  const made = await keystone.create('/services', 'service', { name, type, description }, doing);
  await requireAlone(keystone, made, '/services', await servicesOf(keystone, service), doing);
  state.services.set(name, made);
}

async function applyEndpoint(
  keystone: Keystone,
  state: CatalogueState,
  { service, endpoint }: { readonly service: WantedService; readonly endpoint: WantedEndpoint },
  doing: string,
): Promise<void> {
  const { interface: name, region, url } = endpoint;
  const key = endpointKey(service.name, endpoint);
  const found = state.endpoints.get(key);
  if (found !== undefined)
    return await keystone.update(`/endpoints/${found.id}`, 'endpoint', { url, enabled: true }, doing);
  const { id } = state.services.get(service.name)!;
  const values = { service_id: id, interface: name, region_id: region, url };
  const made = await keystone.create('/endpoints', 'endpoint', values, doing).catch(async (error: unknown) => {
    // Another run took its service back, with which we had begun: Keystone answers 400 then.
    const isGone = error instanceof KollaError && (await keystone.find(`/services/${id}`, 'service')) === undefined;
    throw isGone ? new Outdated(error) : error;
  });
  const all = await keystone.list(`/endpoints?service_id=${id}`, 'endpoints');
  await requireAlone(keystone, made, '/endpoints', endpointsLike(endpoint, all), doing);
  state.endpoints.set(key, made);
}

/**
 * Keystone takes the same service and the same endpoint twice. So each run looks again after it has made one, and takes
 * its own back unless it is alone: of two runs at once the later always sees the earlier's, and whoever saw nobody else's
 * keeps. Where both take back, the pause before the next look is random; who reads meanwhile waits until it is at rest.
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
  await keystone.remove(`${path}/${made.id}`, `take back what we made: ${doing}`);
  const ids = others.map(({ id }) => id).join(', ');
  throw new Outdated(new UnavailableError(`cannot ${doing}: another run made it at the same time (${ids})`));
}
