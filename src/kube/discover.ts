import { ApiError } from './api-error.ts';
import { unlessAborted } from '../core/abort.ts';
import type { Api } from './api.ts';
import type { ApiResource } from './types.ts';

/** A resource, with kubectl's names for it. */
interface Entry extends ApiResource {
  readonly singular: string;
  readonly shortNames: readonly string[];
}

/** Never aborts: each request has its own timeout. */
const NEVER = new AbortController().signal;

type Wanted = string | { readonly apiVersion: string; readonly kind: string };

const AGGREGATED = ['v2', 'v2beta1'].map(
  (v) => `application/json;g=apidiscovery.k8s.io;v=${v};as=APIGroupDiscoveryList`,
);
const ACCEPT = [...AGGREGATED, 'application/json'].join(',');

/**
 * The server's resources, by name. Cached; queried again for an unknown name, since its definition may have been
 * created meanwhile. Throws ApiError and the system's errors.
 */
export class Discovery {
  readonly #api: Api;
  #all: readonly Entry[] = [];
  #asking: Promise<readonly Entry[]> | undefined;
  readonly #byVersion = new Map<string, readonly Entry[]>();

  constructor(api: Api) {
    this.#api = api;
  }

  async find(what: Wanted, signal: AbortSignal): Promise<ApiResource | undefined> {
    if (typeof what === 'object') return await this.#findKind(what.apiVersion, what.kind, signal);
    const found = lookUp(this.#all, what);
    if (found !== undefined) return found;
    // A hundred dependencies share one request; one that aborts must not affect the others.
    this.#asking ??= everything(this.#api, NEVER).finally(() => (this.#asking = undefined));
    this.#all = await unlessAborted(this.#asking, signal);
    return lookUp(this.#all, what);
  }

  /** Requests only the resources of one group and version, not all resources. */
  async #findKind(apiVersion: string, kind: string, signal: AbortSignal): Promise<ApiResource | undefined> {
    const find = () => this.#byVersion.get(apiVersion)?.find((entry) => entry.kind === kind);
    const found = find();
    if (found === undefined) this.#byVersion.set(apiVersion, await resourcesOf(this.#api, apiVersion, signal));
    return plain(found ?? find());
  }
}

function lookUp(all: readonly Entry[], what: string): ApiResource | undefined {
  const [word = '', second, ...rest] = what.split('.');
  const exact =
    second === undefined || rest.length === 0
      ? undefined
      : match(
          all.filter(({ version, group }) => version === second && group === rest.join('.')),
          word,
        );
  if (exact !== undefined) return plain(exact);
  const inGroup = second === undefined ? all : all.filter(({ group }) => group === [second, ...rest].join('.'));
  return plain(match(inGroup, word));
}

/**
 * A plural takes precedence over a singular, a short name and a kind, in this order. Among several matches of one sort
 * the first in the server's order applies.
 */
function match(entries: readonly Entry[], word: string): Entry | undefined {
  const lower = word.toLowerCase();
  return (
    entries.find(({ resource }) => resource === lower) ??
    entries.find(({ singular }) => singular === lower) ??
    entries.find(({ shortNames }) => shortNames.includes(lower)) ??
    entries.find(({ kind }) => kind.toLowerCase() === lower)
  );
}

function plain(entry: Entry | undefined): ApiResource | undefined {
  if (entry === undefined) return undefined;
  const { group, version, resource, kind, namespaced } = entry;
  return { group, version, resource, kind, namespaced };
}

interface GroupList {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind?: { readonly kind?: string };
        readonly scope: string;
        readonly singularResource?: string;
        readonly shortNames?: readonly string[];
      }[];
    }[];
  }[];
  /** The response of servers before 1.27. */
  readonly groups?: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[];
  readonly versions?: readonly string[];
}

/** All resources: the core group first, then groups and versions in the server's order. */
async function everything(api: Api, signal: AbortSignal): Promise<readonly Entry[]> {
  const lists = await Promise.all(
    ['/api', '/apis'].map((path) => api.ask<GroupList>({ path, accept: ACCEPT }, signal)),
  );
  const entries = await Promise.all(
    lists.map(async (list) => {
      if (list.items !== undefined) return aggregated(list);
      const versions = [
        ...(list.versions ?? []),
        ...(list.groups ?? []).flatMap((g) => g.versions.map((v) => v.groupVersion)),
      ];
      return (await Promise.all(versions.map((version) => resourcesOf(api, version, signal)))).flat();
    }),
  );
  return entries.flat();
}

function aggregated({ items = [] }: GroupList): Entry[] {
  return items.flatMap(({ metadata, versions = [] }) =>
    versions.flatMap(({ version, resources = [] }) =>
      resources.map(({ resource, responseKind, scope, singularResource = '', shortNames = [] }) => ({
        group: metadata?.name ?? '',
        version,
        resource,
        kind: responseKind?.kind ?? '',
        namespaced: scope === 'Namespaced',
        singular: singularResource,
        shortNames,
      })),
    ),
  );
}

interface ResourceList {
  readonly resources?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly singularName?: string;
    readonly shortNames?: readonly string[];
  }[];
}

/** The resources of one group and version; none if it does not exist or is unavailable. */
async function resourcesOf(api: Api, apiVersion: string, signal: AbortSignal): Promise<readonly Entry[]> {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  try {
    const { resources = [] } = await api.ask<ResourceList>({ path }, signal);
    return resources
      .filter(({ name }) => !name.includes('/'))
      .map(({ name, kind, namespaced, singularName = '', shortNames = [] }) => ({
        group,
        version,
        resource: name,
        kind,
        namespaced,
        singular: singularName,
        shortNames,
      }));
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 503)) return [];
    throw error;
  }
}
