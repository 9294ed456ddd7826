import { at, holds, isObject, isSame, type Json, type JsonObject } from './json.ts';
import { MARK, mappingsOf } from './mappings.ts';
import { retentionOf } from './retention.ts';
import type { Resource } from './resource.ts';
import type { SetupSettings } from './settings.ts';

/** The policy first: a template names it. */
export function wantedResources(settings: SetupSettings): Resource[] {
  const policy = retentionOf(settings);
  return [...(policy === undefined ? [] : [policy]), templateOf(settings)];
}

export function templateOf(settings: SetupSettings): Resource {
  const { name, priority } = settings;
  const body: JsonObject = {
    index_patterns: [settings.pattern],
    priority,
    _meta: { managed_by: MARK },
    ...(settings.isDataStream ? { data_stream: {} } : {}),
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
      const [first] = (at(reply, 'index_templates') ?? []) as readonly Json[];
      const template = at(first, 'index_template');
      return isObject(template) ? template : undefined;
    },
    isOurs: (current) => at(current, '_meta', 'managed_by') === MARK,
    isRight: (current) =>
      holds(current, body) &&
      // What is left from before would stay, were it only looked whether the new is there.
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

/** A data stream of Elasticsearch keeps its own retention. */
function lifecycleOf({ kind, keep, isDataStream }: SetupSettings): JsonObject {
  if (keep === undefined || kind === 'opensearch' || !isDataStream) return {};
  return { lifecycle: { data_retention: keep } };
}

function lifecycleNameIn(template: JsonObject): Json | undefined {
  return at(template, 'template', 'settings', 'index', 'lifecycle', 'name');
}
