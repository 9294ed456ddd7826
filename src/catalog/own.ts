import * as v from 'valibot';
import { ConfigError } from '../core/errors.ts';
import { suggestion } from '../core/nearest.ts';
import { SCRIPTS, SERVICES_JSON_SCHEMA } from './json-schema.ts';
import { Identity, Keys, Queue } from './own-bootstrap.ts';
import { Tool } from './own-tool.ts';
import {
  AbsolutePath,
  Argv,
  CodeKey,
  Expression,
  ListOf,
  Mapping,
  ConfigOption,
  Step,
  Text,
  VariableName,
} from './own-words.ts';
import { PHASES, type Service } from './service.ts';

const Steps = v.pipe(v.array(Step, 'must be a list of steps'), v.minLength(1, 'has no step'));
const SomeSteps = v.optional(Steps);
const Phases = v.strictObject({
  all: v.pipe(
    Steps,
    v.transform((steps) => steps as [(typeof steps)[number], ...typeof steps]),
  ),
  expand: SomeSteps,
  migrate: SomeSteps,
  contract: SomeSteps,
  online: SomeSteps,
});
const MEANINGS = ['complete', ...PHASES.filter((phase) => phase !== 'all'), 'error'] as const;
const Check = v.strictObject({
  argv: Argv,
  codes: v.pipe(
    Mapping,
    v.record(CodeKey, v.picklist(MEANINGS, `must be one of ${MEANINGS.join(', ')}`)),
    v.check((codes) => Object.values(codes).includes('complete'), 'has no code for complete'),
  ),
});
const UpgradeCheck = v.strictObject({
  argv: Argv,
  readsDatabase: v.optional(v.boolean('must be true or false')),
  broken: v.optional(Expression),
  brokenBecause: v.optional(Text),
  needs: v.optional(ListOf(Text)),
  scratch: v.optional(ListOf(ConfigOption)),
  moot: v.optional(
    v.strictObject({
      check: Text,
      unless: ConfigOption,
      environment: v.pipe(Mapping, v.record(VariableName, v.string())),
    }),
  ),
});
const TableName = v.pipe(Text, v.regex(/^\w+$/, 'must be the name of a table'));
const Scripts = v.pipe(Text, v.regex(SCRIPTS, 'must be a directory below the installed modules'));
const Database = v.strictObject({
  name: Text,
  url: v.optional(ListOf(ConfigOption), []),
  optional: v.optional(v.literal(true, 'must be true or omitted')),
  versionTable: v.optional(TableName),
  scripts: v.optional(Scripts),
  parts: v.optional(ListOf(v.strictObject({ versionTable: TableName, scripts: v.optional(Scripts) }))),
});
const NOT_A_RELEASE = "must be the number of kolla-ansible's release";
/** Schema of the checks of a service's containers. */
const Probes = ListOf(
  v.strictObject({
    container: Text,
    declared: v.optional(Text),
    disabledSince: v.optional(v.pipe(v.number(NOT_A_RELEASE), v.integer(NOT_A_RELEASE), v.minValue(1, NOT_A_RELEASE))),
    liveness: Text,
    readiness: Text,
    notes: v.optional(Text),
  }),
);
const Own = v.strictObject({
  summary: v.optional(Text, 'of kolla-pod.yaml'),
  configFile: v.optional(AbsolutePath),
  user: v.optional(Text),
  databases: v.array(Database, 'must be a list'),
  migration: v.strictObject({
    phases: Phases,
    check: v.optional(Check),
    upgradeCheck: v.optional(UpgradeCheck),
  }),
  identity: v.optional(Identity),
  queue: v.optional(Queue),
  keys: v.optional(Keys),
  tool: v.optional(Tool),
  probes: v.optional(Probes),
  notes: v.optional(Text),
});
const NAME = /^[a-z][a-z0-9-]{0,47}$/;
const Section = v.pipe(
  Mapping,
  v.record(v.pipe(v.string(), v.regex(NAME, 'is not a name of a service: lower-case letters, digits and -')), Own),
);

/**
 * The services of kolla-pod.yaml's `services:`, in the shape of built-in ones.
 * @param file kolla-pod.yaml, for messages
 * @param section the unvalidated value of `services:`
 * @param taken names reserved on the command line
 * @throws ConfigError with every problem and its place: `services.x.migration.phases: is missing`
 */
export function ownServices(file: string, section: unknown, taken: readonly string[]): Service[] {
  const result = v.safeParse(Section, section);
  if (!result.success) throw wrong(file, result.issues.map(describe));
  const services = Object.entries(result.output).map(([name, own]) => ({ name, ...own }) as Service);
  const problems = services.flatMap(({ name, configFile, databases, tool = [] }) => [
    ...(taken.includes(name) ? [`services.${name}: is the name of a command`] : []),
    ...databases.flatMap(({ url }, i) =>
      url.length > 0 && configFile === undefined ? [`services.${name}.databases[${i}].url: requires a configFile`] : [],
    ),
    ...tool.flatMap(({ done }, i) =>
      'listed' in done && Object.keys(done.listed.holds).length > 0 && configFile === undefined
        ? [`services.${name}.tool[${i}].done.listed.holds: requires a configFile`]
        : [],
    ),
  ]);
  if (problems.length > 0) throw wrong(file, problems);
  return services;
}

function wrong(file: string, problems: readonly string[]): ConfigError {
  return new ConfigError(`${file}: ${problems.join('; ')}`);
}

function describe(issue: v.BaseIssue<unknown>): string {
  const keys = (issue.path ?? []).map(({ key }) => key);
  const place = `services${keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')}`;
  if (issue.received === 'undefined') return `${place}: is missing`;
  if (issue.expected === 'never') {
    return `${place}: there is no such key${suggestion(String(keys.at(-1)), validKeys(keys.slice(0, -1)))}`;
  }
  if (issue.type.endsWith('_object')) return `${place}: must be a mapping, but is ${issue.received}`;
  return `${place}: ${issue.message}`;
}

/** The subset of JSON Schema used for the section. */
interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly [keyword: string]: unknown;
}

/** The valid keys of the mapping at this path, for each of its variants. */
function validKeys(path: readonly unknown[]): string[] {
  const found = path.reduce<readonly JsonSchema[]>(
    (schemas, key) => formsOf(schemas).flatMap((schema) => below(schema, key)),
    [SERVICES_JSON_SCHEMA],
  );
  return formsOf(found).flatMap(({ properties = {} }) => Object.keys(properties));
}

function formsOf(schemas: readonly JsonSchema[]): JsonSchema[] {
  return schemas.flatMap((schema) => [schema, ...(schema.oneOf ?? [])]);
}

function below({ properties = {}, additionalProperties, items }: JsonSchema, key: unknown): JsonSchema[] {
  const named = properties[String(key)] ?? (typeof key === 'number' ? items : additionalProperties);
  return typeof named === 'object' ? [named] : [];
}
