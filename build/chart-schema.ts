/**
 * Generates a chart's values.schema.json:
 *
 *   service.schema.json of the library + settings.schema.json of the chart -> schema of its values
 *     -> the same for `global.charts.NAME`, which overrides them: every part optional, and null to remove it
 */

interface Schema {
  readonly [key: string]: unknown;
}

interface ValuesSchema extends Schema {
  readonly properties: Schema;
  readonly definitions: Schema & { readonly global: { readonly properties: Schema } };
}

/** Prefix of definitions for overlays. */
const OVER = 'over-';

/**
 * The schema of a chart's values.
 * @param name of the chart
 * @param library the library's schema, as JSON
 * @param settings the chart's own schema for `settings`, as JSON; without it settings are free-form
 */
export function valuesSchema(name: string, library: string, settings: string | undefined): Schema {
  const schema = JSON.parse(library) as ValuesSchema;
  const own = settings === undefined ? {} : { settings: JSON.parse(settings) as Schema };
  const parts = Object.fromEntries(
    Object.entries(schema.properties).filter(([key]) => key !== 'global' && key !== 'kolla-pod'),
  );
  const chartWith = (more: Schema) => ({
    type: 'object',
    additionalProperties: false,
    properties: keywordOver('properties', { ...parts, ...more }),
  });
  const over = Object.entries(schema.definitions).map(([key, value]) => [`${OVER}${key}`, laidOver(value as Schema)]);
  const charts = { type: 'object', properties: { [name]: chartWith(own) }, additionalProperties: chartWith({}) };
  const globals = schema.definitions.global;
  return {
    ...schema,
    properties: { ...schema.properties, ...own },
    definitions: {
      ...schema.definitions,
      ...Object.fromEntries(over),
      global: { ...globals, properties: { ...globals.properties, charts } },
    },
  };
}

/** A schema in which any part may be missing or null. */
function laidOver(schema: Schema): Schema {
  const keywords = Object.entries(schema).filter(([keyword]) => keyword !== 'required');
  return Object.fromEntries(keywords.map(([keyword, value]) => [keyword, keywordOver(keyword, value)]));
}

function keywordOver(keyword: string, value: unknown): unknown {
  switch (keyword) {
    case 'type':
      return [...new Set([value, 'null'].flat())];
    case 'enum':
      return [...(value as unknown[]), null];
    case '$ref':
      return String(value).replace('#/definitions/', `#/definitions/${OVER}`);
    case 'properties':
    case 'patternProperties':
      return Object.fromEntries(Object.entries(value as Schema).map(([name, one]) => [name, laidOver(one as Schema)]));
    case 'anyOf':
      return (value as Schema[]).map(laidOver);
    case 'items':
    case 'additionalProperties':
      return typeof value === 'boolean' ? value : laidOver(value as Schema);
    default:
      return value;
  }
}
