import type { Json, JsonObject } from './json.ts';

/** Whose field names documents have. */
export type Schema = 'kolla' | 'ecs' | 'raw';
export type ServerKind = 'elasticsearch' | 'opensearch';

/** Longer values are found by their words, but do not count in lists of the most frequent. */
const LONGEST_VALUE = 1024;

const DATE: JsonObject = { type: 'date' };
const KEYWORD: JsonObject = { type: 'keyword', ignore_above: LONGEST_VALUE };
/** Words to search for, and the value as a whole under `.keyword`, where dashboards that were made before have it. */
const TEXT: JsonObject = { type: 'text', fields: { keyword: KEYWORD } };
/** Only as a whole, and under `.keyword` as well. */
const ID: JsonObject = { ...KEYWORD, fields: { keyword: KEYWORD } };
/** What is no number is kept and found in its document, and the document is not refused for it. */
const NUMBER: JsonObject = { type: 'long', ignore_malformed: true };

const KOLLA_TEXTS =
  'Payload Hostname Logger programname log_level LogLevel python_module module Timestamp timestamp path agent referer';
const KOLLA_IDS =
  'Pid global_request_id request_id user_id tenant_id domain_id system_scope user_domain project_domain App Req Address ' +
  'User Role client user method';
const KOLLA_NUMBERS = 'Vars Bytes status bytes duration_us';

/**
 * How a server is to take a schema's fields. Unknown fields become text with a `.keyword`, as without
 * a template; no text is taken for a date, because the first line's look would then refuse the next one's.
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

/** By this we know what we made. */
export const MARK = 'kolla-log-ship';

/** What is no keyword in ECS, of the fields that logs have. */
const ECS: JsonObject = {
  message: TEXT,
  error: { properties: { message: { type: 'text' }, stack_trace: { type: 'text' } } },
  process: { properties: { pid: NUMBER } },
  source: { properties: { port: NUMBER } },
  http: { properties: { response: { properties: { bytes: NUMBER, status_code: NUMBER } } } },
  event: { properties: { duration: NUMBER } },
};

/** A Pod's labels: any names, dotted ones too (`app` beside `app.kubernetes.io/name`), which as objects would clash. */
function labels(kind: ServerKind): JsonObject {
  return { type: kind === 'opensearch' ? 'flat_object' : 'flattened' };
}

function each(names: string, mapping: JsonObject): JsonObject {
  return Object.fromEntries(names.split(' ').map((name) => [name, mapping]));
}

function strings(name: string, mapping: JsonObject, path?: string): Json {
  return { [name]: { match_mapping_type: 'string', ...(path && { path_match: path }), mapping } };
}
