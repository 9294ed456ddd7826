import type { Json, JsonObject } from '../json.ts';

/** Who imports it. OpenSearch Dashboards went its own way from Kibana 7.10. */
export type Flavor = 'kibana' | 'dashboards';

export type ObjectType = 'index-pattern' | 'search' | 'visualization' | 'dashboard';

/** One object as it is imported: a line of NDJSON. */
export interface SavedObject {
  readonly id: string;
  readonly type: ObjectType;
  readonly attributes: JsonObject;
  readonly references: readonly Reference[];
}

/** To another object: what is inside an object names it by `name`, so that an import may give it another id. */
export interface Reference {
  readonly name: string;
  readonly type: ObjectType;
  readonly id: string;
}

/** The shapes that our objects have; an importer migrates them from there on to its own. */
const KIBANA_SHAPES = {
  'index-pattern': '8.0.0',
  search: '8.0.0',
  visualization: '8.5.0',
  dashboard: '8.9.0',
} as const;
const DASHBOARDS_SHAPES = {
  'index-pattern': '7.6.0',
  search: '7.9.3',
  visualization: '7.10.0',
  dashboard: '7.9.3',
} as const;

/** The object with the words that tell its importer which shape it has. */
export function stamped(object: SavedObject, flavor: Flavor): JsonObject {
  const { id, type, attributes, references } = object;
  const shape =
    flavor === 'kibana'
      ? { coreMigrationVersion: '8.8.0', typeMigrationVersion: KIBANA_SHAPES[type] }
      : { migrationVersion: { [type]: DASHBOARDS_SHAPES[type] } };
  return { id, type, attributes, references: references.map((each): Json => ({ ...each })), ...shape };
}

/** What an object asks, in Kibana's query language, of the index pattern that its reference names. */
export function searchSource(query: string): { readonly searchSourceJSON: string } {
  const source = { query: { query, language: 'kuery' }, filter: [], indexRefName: SOURCE_REFERENCE };
  return { searchSourceJSON: JSON.stringify(source) };
}

const SOURCE_REFERENCE = 'kibanaSavedObjectMeta.searchSourceJSON.index';

export function sourceReference(indexPattern: string): Reference {
  return { name: SOURCE_REFERENCE, type: 'index-pattern', id: indexPattern };
}
