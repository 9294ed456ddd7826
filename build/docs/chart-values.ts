/** docs/reference/chart-values.md, from the library's schema and values and each chart's settings. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { CHARTS, chartNames, DEFAULTS } from '../charts.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

type Values = Readonly<Record<string, unknown>>;

/** The whole page. */
export function chartValuesPage(generated: string): string {
  const library = readJson(join(CHARTS, 'kolla-pod/service.schema.json'));
  const values = readYaml(join(CHARTS, 'kolla-pod/values.yaml'));
  const definitions = library.definitions ?? {};
  const rows = (schema: Schema, defaults: unknown, path = '') => rowsOf({ schema, defaults, path, definitions });
  const own = Object.entries(library.properties ?? {}).filter(
    ([key]) => !['kolla-pod', 'workloadDefaults'].includes(key),
  );
  return [
    '# Chart values',
    '',
    generated,
    '',
    "Every key that the charts accept, from the library's schema and `values.yaml`. [The library's",
    'README](../../k8s/charts/kolla-pod/README.md) explains them, [Charts](../how-to/helm.md) their precedence. Any other key is',
    'rejected. `NAME` is a key of your choice.',
    '',
    '## Every chart',
    '',
    ...HEAD,
    ...own.flatMap(([key, schema]) => rows(schema, values[key], key)),
    '',
    '## workloads.NAME',
    '',
    ...HEAD,
    ...rows(definitions['workload'] ?? {}, values['workloadDefaults']),
    ...chartNames().flatMap((chart) => {
      const file = join(CHARTS, chart, 'settings.schema.json');
      if (!existsSync(file)) return [];
      const { settings } = readYaml(join(CHARTS, chart, DEFAULTS));
      return ['', `## settings of ${chart}`, '', ...HEAD, ...rows(readJson(file), settings, 'settings')];
    }),
    '',
  ].join('\n');
}

const HEAD = ['| key | type | default |', '|---|---|---|'];

interface Part {
  readonly schema: Schema;
  readonly defaults: unknown;
  readonly path: string;
  readonly definitions: Readonly<Record<string, Schema>>;
}

/** A row for each leaf key. `workloads.NAME` has a separate table. */
function rowsOf({ schema, defaults, path, definitions }: Part): string[] {
  const { properties, patternProperties } = resolved(schema, definitions);
  const keys = Object.entries({
    ...properties,
    ...(patternProperties && { NAME: Object.values(patternProperties)[0] }),
  });
  if (path === 'workloads' || keys.length === 0)
    return [`| \`${path}\` | ${typeOf(schema, definitions)} | ${defaultOf(defaults)} |`];
  const at = (key: string) => (defaults as Values | undefined)?.[key];
  return keys.flatMap(([key, each]) =>
    rowsOf({ schema: each, defaults: at(key), path: path === '' ? key : `${path}.${key}`, definitions }),
  );
}

function resolved(schema: Schema, definitions: Part['definitions']): Schema {
  const name = schema.$ref?.replace('#/definitions/', '');
  return name === undefined ? schema : resolved(definitions[name] ?? {}, definitions);
}

function typeOf(schema: Schema, definitions: Part['definitions']): string {
  const { type, enum: words, anyOf, items } = resolved(schema, definitions);
  if (words !== undefined)
    return words
      .filter((word) => word !== '')
      .map((word) => `\`${String(word)}\``)
      .join(' \\| ');
  if (anyOf !== undefined) return anyOf.map((one) => typeOf(one, definitions)).join(' or ');
  if (type === 'array') return items === undefined ? 'list' : `list of ${typeOf(items, definitions)}`;
  return [type ?? 'any'].flat().join(' or ');
}

function defaultOf(value: unknown): string {
  return value === undefined || value === '' ? '' : `\`${JSON.stringify(value).replaceAll('|', '\\|')}\``;
}

function readJson(file: string): Schema {
  return JSON.parse(readFileSync(file, 'utf8')) as Schema;
}

function readYaml(file: string): Values {
  return load(readFileSync(file, 'utf8')) as Values;
}
