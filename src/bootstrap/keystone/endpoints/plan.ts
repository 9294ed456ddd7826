import type { Change, Field } from '../../change.ts';
import { endpointKey, type CatalogueState } from './state.ts';
import { isSameUrl, type WantedEndpoint, type WantedService } from './want.ts';

/** A difference, with what it takes to end it. */
export type CatalogueChange = Change &
  (
    | { readonly does: 'region'; readonly wants: string }
    | { readonly does: 'service'; readonly wants: WantedService }
    | {
        readonly does: 'endpoint';
        readonly wants: { readonly service: WantedService; readonly endpoint: WantedEndpoint };
      }
  );

/** What differs, in the order in which it can be ended. Descriptions are for people, and stay as people have them. */
export function planCatalogue(wanted: readonly WantedService[], state: CatalogueState): CatalogueChange[] {
  const regions = new Set(wanted.flatMap(({ endpoints }) => endpoints.map(({ region }) => region)));
  return [
    ...[...regions]
      .filter((region) => !state.regions.has(region))
      .map((region): CatalogueChange => {
        return { action: 'create', kind: 'region', name: region, fields: [], does: 'region', wants: region };
      }),
    ...wanted.flatMap((service) => planService(service, state)),
    ...wanted.flatMap((service) => service.endpoints.flatMap((endpoint) => planEndpoint(service, endpoint, state))),
  ];
}

function planService(service: WantedService, state: CatalogueState): CatalogueChange[] {
  const found = state.services.get(service.name);
  const fields = found === undefined ? [{ name: 'type', after: service.type }] : enabledAgain(found);
  if (fields.length === 0) return [];
  const action = found === undefined ? 'create' : 'update';
  return [{ action, kind: 'service', name: service.name, fields, does: 'service', wants: service }];
}

function planEndpoint(service: WantedService, endpoint: WantedEndpoint, state: CatalogueState): CatalogueChange[] {
  const name = endpointKey(service.name, endpoint);
  const found = state.endpoints.get(name);
  const before = found === undefined ? undefined : String(found['url']);
  const fields: Field[] = [
    ...(before !== undefined && isSameUrl(before, endpoint.url)
      ? []
      : [{ name: 'url', ...(before === undefined ? {} : { before }), after: endpoint.url }]),
    ...(found === undefined ? [] : enabledAgain(found)),
  ];
  if (fields.length === 0) return [];
  const action = found === undefined ? 'create' : 'update';
  return [{ action, kind: 'endpoint', name, fields, does: 'endpoint', wants: { service, endpoint } }];
}

function enabledAgain({ enabled }: { readonly enabled?: boolean }): Field[] {
  return enabled === false ? [{ name: 'enabled', before: 'false', after: 'true' }] : [];
}
