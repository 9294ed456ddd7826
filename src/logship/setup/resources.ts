import { at, holds, isObject, isSame, textAt, type Json, type JsonObject } from './mappings/json.ts';
import { mappingsOf, MARK } from './mappings/mappings.ts';
import type { SetupSettings } from './settings.ts';

/** A resource on the server that is read, compared and written as a whole. */
export interface Resource {
  readonly what: 'index template' | 'ILM policy' | 'ISM policy';
  readonly name: string;
  readonly path: string;
  readonly body: JsonObject;
  /** The body in the response to a GET, as it would be written. Undefined for an empty response. */
  readonly current: (reply: unknown) => JsonObject | undefined;
  /** Whether we have created the current resource. */
  readonly isOurs: (current: JsonObject) => boolean;
  /** Whether the current resource is up to date. */
  readonly isRight: (current: JsonObject) => boolean;
  /** The query that a write to the existing resource needs: `?if_seq_no=...`. */
  readonly overwrite?: (reply: unknown) => string;
  /** The server feature that the resource requires; undefined if every server has it. */
  readonly needs?: string;
}

/** The policy comes first, because a template refers to it. */
export function wantedResources(settings: SetupSettings): Resource[] {
  const policy = retentionOf(settings);
  return [...(policy === undefined ? [] : [policy]), templateOf(settings)];
}

function templateOf(settings: SetupSettings): Resource {
  const { name, priority } = settings;
  const body: JsonObject = {
    index_patterns: [settings.pattern],
    priority,
    _meta: { managed_by: MARK },
    ...(settings.isDataStream && { data_stream: {} }),
    template: {
      settings: { index: indexSettings(settings) },
      mappings: mappingsOf(settings.schema, settings.kind),
      ...lifecycleOf(settings),
    },
  };
  return {
    what: 'index template',
    name,
    path: `/_index_template/${encodeURIComponent(name)}`,
    body,
    current(reply) {
      const all = at(reply, 'index_templates');
      const template = at(Array.isArray(all) ? all[0] : undefined, 'index_template');
      return isObject(template) ? template : undefined;
    },
    isOurs: (current) => at(current, '_meta', 'managed_by') === MARK,
    isRight: (current) =>
      holds(current, body) &&
      // Compared as a whole, because stale fields would otherwise remain.
      isSame(at(current, 'template', 'mappings'), at(body, 'template', 'mappings')) &&
      isObject(current['data_stream']) === settings.isDataStream &&
      isSame(lifecycleNameIn(current), lifecycleNameIn(body)) &&
      isObject(at(current, 'template', 'lifecycle')) === isObject(at(body, 'template', 'lifecycle')),
  };
}

function indexSettings({ kind, name, keep, isDataStream, shards, replicas }: SetupSettings): JsonObject {
  const lifecycle = keep !== undefined && kind === 'elasticsearch' && !isDataStream ? { lifecycle: { name } } : {};
  return { number_of_shards: shards, number_of_replicas: replicas, ...lifecycle };
}

/** A data stream in Elasticsearch has its own retention. */
function lifecycleOf({ kind, keep, isDataStream }: SetupSettings): JsonObject {
  if (keep === undefined || kind === 'opensearch' || !isDataStream) return {};
  return { lifecycle: { data_retention: keep } };
}

function lifecycleNameIn(template: JsonObject): Json | undefined {
  return at(template, 'template', 'settings', 'index', 'lifecycle', 'name');
}

/**
 * The policy that deletes indices older than `--keep`: Index Lifecycle Management on Elasticsearch, Index State
 * Management on OpenSearch. There is no policy without `--keep`, nor for a data stream in Elasticsearch, whose template
 * contains the retention.
 */
function retentionOf(settings: SetupSettings): Resource | undefined {
  const { kind, keep, isDataStream, name } = settings;
  if (keep === undefined) return undefined;
  if (kind === 'opensearch') return ismPolicy(settings, keep);
  return isDataStream ? undefined : ilmPolicy(name, keep);
}

function ilmPolicy(name: string, keep: string): Resource {
  const policy = { _meta: { managed_by: MARK }, phases: { delete: { min_age: keep, actions: { delete: {} } } } };
  return {
    what: 'ILM policy',
    name,
    path: `/_ilm/policy/${encodeURIComponent(name)}`,
    body: { policy },
    current(reply) {
      const current = at(reply, name, 'policy');
      return isObject(current) ? { policy: current } : undefined;
    },
    isOurs: (current) => at(current, 'policy', '_meta', 'managed_by') === MARK,
    // Phases that were added manually would keep moving or shrinking indices.
    isRight: (current) =>
      holds(current, { policy }) && Object.keys(at(current, 'policy', 'phases') ?? {}).join() === 'delete',
    needs: 'Index Lifecycle Management',
  };
}

function ismPolicy({ name, pattern, isDataStream }: SetupSettings, keep: string): Resource {
  const policy: JsonObject = {
    // The policy has no field for our mark.
    description: `removes indices older than ${keep}; made by ${MARK}`,
    default_state: 'kept',
    states: [
      {
        name: 'kept',
        // A data stream's write index cannot be deleted: it must be rolled over first.
        actions: isDataStream ? [{ rollover: { min_index_age: '1d' } }] : [],
        transitions: [{ state_name: 'removed', conditions: { min_index_age: keep } }],
      },
      { name: 'removed', actions: [{ delete: {} }], transitions: [] },
    ],
    ism_template: [{ index_patterns: [pattern], priority: 100 }],
  };
  return {
    what: 'ISM policy',
    name,
    path: `/_plugins/_ism/policies/${encodeURIComponent(name)}`,
    body: { policy },
    current(reply) {
      const current = at(reply, 'policy');
      return isObject(current) ? { policy: current } : undefined;
    },
    isOurs: (current) => textAt(current, 'policy', 'description').includes(`made by ${MARK}`),
    isRight: (current) => holds(current, { policy }),
    overwrite: (reply) => `?if_seq_no=${textAt(reply, '_seq_no')}&if_primary_term=${textAt(reply, '_primary_term')}`,
    needs: 'Index State Management',
  };
}
