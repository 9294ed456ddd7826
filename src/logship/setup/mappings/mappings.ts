import type { Json, JsonObject } from './json.ts';

/** The scheme by which fields of documents are named. */
export type Schema = 'kolla' | 'ecs' | 'raw';
export type ServerKind = 'elasticsearch' | 'opensearch';

/** Maximum length for aggregations. Longer values can be searched by word only. */
const LONGEST_VALUE = 1024;

const DATE: JsonObject = { type: 'date' };
const KEYWORD: JsonObject = { type: 'keyword', ignore_above: LONGEST_VALUE };
/** Full-text search, plus the whole value under `.keyword`, as existing dashboards expect. */
const TEXT: JsonObject = { type: 'text', fields: { keyword: KEYWORD } };
/** The whole value only, and also under `.keyword`. */
const ID: JsonObject = { ...KEYWORD, fields: { keyword: KEYWORD } };
/** A malformed number stays in its document, which is not rejected. */
const NUMBER: JsonObject = { type: 'long', ignore_malformed: true };

const KOLLA_TEXTS =
  'Payload Hostname Logger programname log_level LogLevel python_module module Timestamp timestamp path agent referer';
const KOLLA_IDS =
  'Pid global_request_id request_id user_id tenant_id domain_id system_scope user_domain project_domain App Req Address ' +
  'User Role client user method';
const KOLLA_NUMBERS = 'Vars Bytes status bytes duration_us';

/**
 * The mapping of a schema's fields. Unknown fields become text with `.keyword`, as without a template; date detection
 * is off, since the first line's format would cause later ones to be rejected.
 */
export function mappingsOf(schema: Schema, kind: ServerKind): JsonObject {
  const base = { _meta: { managed_by: MARK }, date_detection: false };
  switch (schema) {
    case 'kolla':
      return {
        ...base,
        dynamic_templates: [strings('kubernetes', KEYWORD, 'kubernetes.*'), strings('others', TEXT)],
        properties: {
          '@timestamp': DATE,
          ...each(KOLLA_TEXTS, TEXT),
          ...each(KOLLA_IDS, ID),
          ...each(KOLLA_NUMBERS, NUMBER),
          kubernetes: { properties: { labels: labels(kind) } },
        },
      };
    case 'ecs':
      return {
        ...base,
        dynamic_templates: [strings('strings', KEYWORD)],
        properties: { '@timestamp': DATE, ...ECS },
      };
    case 'raw':
      return {
        ...base,
        dynamic_templates: [strings('strings', KEYWORD)],
        properties: { '@timestamp': DATE, message: { type: 'text' } },
      };
  }
}

/** The mark of our resources. */
export const MARK = 'kolla-log-ship';

/** ECS fields of logs that are not keywords. */
const ECS: JsonObject = {
  message: TEXT,
  error: { properties: { message: { type: 'text' }, stack_trace: { type: 'text' } } },
  process: { properties: { pid: NUMBER } },
  source: { properties: { port: NUMBER } },
  http: { properties: { response: { properties: { bytes: NUMBER, status_code: NUMBER } } } },
  event: { properties: { duration: NUMBER } },
};

/**
 * The labels of a Pod. They have any names, including dotted ones (`app` and `app.kubernetes.io/name`), which would
 * conflict as objects.
 */
function labels(kind: ServerKind): JsonObject {
  return { type: kind === 'opensearch' ? 'flat_object' : 'flattened' };
}

function each(names: string, mapping: JsonObject): JsonObject {
  return Object.fromEntries(names.split(' ').map((name) => [name, mapping]));
}

function strings(name: string, mapping: JsonObject, path?: string): Json {
  return { [name]: { match_mapping_type: 'string', ...(path && { path_match: path }), mapping } };
}
