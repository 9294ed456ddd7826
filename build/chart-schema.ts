/**
 * Generates a chart's values.schema.json:
 *
 *   service.schema.json of the library + settings.schema.json and workloads.schema.json of the chart
 *     -> schema of the values that a user gives, and of those in `global.charts.NAME`: null is valid anywhere, since
 *        it removes a default. Nothing is required; the templates check what the merged values must have.
 */

interface Schema {
  readonly [key: string]: unknown;
}

interface ValuesSchema extends Schema {
  readonly properties: { readonly 'kolla-pod': Schema; readonly global: Schema } & Schema;
  readonly definitions: Schema & { readonly global: { readonly properties: Schema } };
}

/**
 * The schema of a chart's values.
 * @param name of the chart
 * @param library the library's schema, as JSON
 * @param own the chart's own schemas, as JSON: for `settings`, which are free-form without it, and for each of its
 *   workloads by name, in addition to the library's
 */
export function valuesSchema(
  name: string,
  library: string,
  own: { readonly settings?: string | undefined; readonly workloads?: string | undefined },
): Schema {
  const schema = JSON.parse(library) as ValuesSchema;
  const { global, ...definitions } = schema.definitions;
  const { 'kolla-pod': subchart, global: globals, ...parts } = schema.properties;
  const { workloads } = parts as { readonly workloads?: Schema };
  const ours = {
    ...(own.settings === undefined ? {} : { settings: JSON.parse(own.settings) as Schema }),
    ...(own.workloads === undefined
      ? {}
      : { workloads: { ...workloads, properties: JSON.parse(own.workloads) as Schema } }),
  };
  const chartWith = (more: Schema) => ({
    type: 'object',
    additionalProperties: false,
    properties: keywordOver('properties', { ...parts, ...more }) as Schema,
  });
  const chart = chartWith(ours);
  const charts = { type: 'object', properties: { [name]: chart }, additionalProperties: chartWith({}) };
  return {
    ...schema,
    properties: { 'kolla-pod': subchart, global: globals, ...chart.properties },
    definitions: {
      ...(keywordOver('properties', definitions) as Schema),
      global: { ...global, properties: { ...global.properties, charts } },
    },
  };
}

/** A schema in which any part may be null. */
function laidOver(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, keywordOver(keyword, value)]));
}

function keywordOver(keyword: string, value: unknown): unknown {
  switch (keyword) {
    case 'type':
      return [...new Set([value, 'null'].flat())];
    case 'enum':
      return [...(value as unknown[]), null];
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
