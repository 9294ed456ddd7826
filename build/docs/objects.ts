/** docs/reference/objects.md: every field of the objects of kolla-operator, from the CRDs. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { ROOT } from '../bundle.ts';

const CRDS = join(ROOT, 'k8s/crds');

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
}

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string; readonly shortNames: readonly string[] };
    readonly versions: readonly [{ readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }];
  };
}

/** The whole page. */
export function objectsPage(generated: string): string {
  const files = readdirSync(CRDS).toSorted();
  return [
    '# Objects of kolla-operator',
    '',
    generated,
    '',
    '[Operator](../how-to/operator.md) has examples. `kubectl explain` prints the same. `*` marks required fields; `NAME` is a key of',
    "your choice, `[]` an item of a list. Each `conditions[]` has the fields of Kubernetes' conditions.",
    ...files.flatMap((file) => part(load(readFileSync(join(CRDS, file), 'utf8')) as Definition)),
    '',
  ].join('\n');
}

function part({ spec: { group, names, versions } }: Definition): string[] {
  const [{ name, schema }] = versions;
  const { spec, status } = schema.openAPIV3Schema.properties ?? {};
  return [
    '',
    `## ${names.kind}`,
    '',
    `${schema.openAPIV3Schema.description} \`${group}/${name}\`, \`kubectl get ${names.plural}\` or \`${names.shortNames.join('`, `')}\`.`,
    '',
    ...HEAD,
    ...rowsOf('spec', spec ?? {}),
    ...rowsOf('status', status ?? {}),
  ];
}

const HEAD = ['| field | type | default | meaning |', '|---|---|---|---|'];

function rowsOf(path: string, { properties = {}, required = [] }: Schema): string[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    // Conditions are Kubernetes' own.
    if (key === 'conditions') return [];
    const at = `${path}.${key}`;
    const isGroup = schema.properties !== undefined && schema.description === undefined;
    const name = code(`${at}${required.includes(key) ? '*' : ''}`);
    const row = `| ${name} | ${typeOf(schema)} | ${defaultOf(schema)} | ${cell(schema.description)} |`;
    return [...(isGroup ? [] : [row]), ...below(at, schema)];
  });
}

function below(path: string, { items, properties, additionalProperties }: Schema): string[] {
  if (items !== undefined) return rowsOf(`${path}[]`, items);
  if (additionalProperties !== undefined) return rowsOf(`${path}.NAME`, additionalProperties);
  return properties === undefined ? [] : rowsOf(path, { properties });
}

function typeOf({ type = 'any', enum: values, items }: Schema): string {
  if (values !== undefined) return values.map(code).join(', ');
  return items === undefined ? type : `list of ${typeOf(items)}`;
}

function defaultOf({ default: value }: Schema): string {
  return value === undefined ? '' : code(JSON.stringify(value));
}

function cell(text: string = ''): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
}

function code(text: string): string {
  return `\`${text}\``;
}
