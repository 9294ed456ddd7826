import * as v from 'valibot';
import { ConfigError } from '../core/errors.ts';
import { documented } from '../core/documented.ts';
import { suggestion } from '../core/nearest.ts';
import { Identity, Keys, Queue } from './own-bootstrap.ts';
import { DONE_FORMS, Tool } from './own-tool.ts';
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
    v.description('meaning of each exit code: complete, the next phase, or unknown'),
  ),
});
const UpgradeCheck = v.strictObject({
  argv: Argv,
  readsDatabase: v.optional(documented(v.boolean('must be true or false'), 'whether it looks at the database')),
  broken: v.optional(documented(Expression, 'regular expression of an output that shows a bug of the tool itself')),
  brokenBecause: v.optional(documented(Text, 'why such an output says nothing, if it is no bug')),
  needs: v.optional(documented(ListOf(Text), 'programs that it calls')),
  scratch: v.optional(
    documented(ListOf(ConfigOption), 'options of directories that it writes to; it gets a temporary one'),
  ),
  moot: v.optional(
    documented(
      v.strictObject({
        check: documented(Text, 'as its table names it'),
        unless: ConfigOption,
        environment: documented(
          v.pipe(Mapping, v.record(VariableName, v.string())),
          'variables with which that check contacts nothing',
        ),
      }),
      'one of its checks that means nothing while an option is off',
    ),
  ),
});
const TableName = v.pipe(Text, v.regex(/^\w+$/, 'must be the name of a table'), v.examples(['alembic_version']));
const Scripts = documented(
  // Without `..` and without what a pattern would match.
  v.pipe(Text, v.regex(/^\w+(?:\/\w+)*$/, 'must be a directory below the installed modules')),
  "its revisions, below the modules installed next to the tool: they prove the schema's version",
  { examples: ['murano/db/migration/alembic_migrations/versions'] },
);
const Database = v.strictObject({
  name: Text,
  url: v.optional(
    documented(ListOf(ConfigOption), 'options of configFile with its URL; the first one set applies'),
    [],
  ),
  optional: v.optional(documented(v.literal(true, 'must be true or omitted'), 'absent if no URL is set')),
  versionTable: v.optional(TableName),
  scripts: v.optional(Scripts),
  parts: v.optional(
    documented(
      ListOf(v.strictObject({ versionTable: TableName, scripts: v.optional(Scripts) })),
      'further version tables of the same tool',
    ),
  ),
});
const NOT_A_RELEASE = "must be the number of kolla-ansible's release";
/** Schema of the checks of a service's containers. */
const Probes = documented(
  ListOf(
    v.strictObject({
      container: Text,
      declared: v.optional(documented(Text, 'its health check in Docker')),
      disabledSince: v.optional(
        documented(
          v.pipe(v.number(NOT_A_RELEASE), v.integer(NOT_A_RELEASE), v.minValue(1, NOT_A_RELEASE)),
          'first release of kolla-ansible that disables that check by default',
        ),
      ),
      liveness: documented(Text, 'arguments of kolla-probe', { examples: ['process nova-compute'] }),
      readiness: documented(Text, 'arguments of kolla-probe', { examples: ['connected nova-compute 5672'] }),
      notes: v.optional(Text),
    }),
  ),
  'health check of each container',
);
const Own = v.strictObject({
  summary: v.optional(Text, 'of kolla-pod.yaml'),
  configFile: v.optional(
    documented(AbsolutePath, 'for oslo.config, or YAML', { examples: ['/etc/keystone/keystone.conf'] }),
  ),
  user: v.optional(Text),
  databases: documented(ListOf(Database), 'the first one holds the lock and the record'),
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
/** The section `services:`. */
export const ServicesSection = documented(
  v.pipe(
    Mapping,
    v.record(v.pipe(v.string(), v.regex(NAME, 'is not a name of a service: lower-case letters, digits and -')), Own),
  ),
  'Custom services for kolla-db-sync and kolla-bootstrap; one with a built-in name replaces it.',
);

/**
 * The services of kolla-pod.yaml's `services:`, in the shape of built-in ones.
 * @param file kolla-pod.yaml, for messages
 * @param section the unvalidated value of `services:`
 * @param taken names reserved on the command line
 * @throws ConfigError with every problem and its place: `services.x.migration.phases: is missing`
 */
export function ownServices(file: string, section: unknown, taken: readonly string[]): Service[] {
  const result = v.safeParse(ServicesSection, section);
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

/** The parts of valibot's schemas that lead to the keys of a mapping. */
interface Shape {
  readonly type: string;
  readonly pipe?: readonly Shape[];
  readonly wrapped?: Shape;
  readonly entries?: Readonly<Record<string, Shape>>;
  readonly item?: Shape;
  readonly value?: Shape;
}

/** The valid keys of the mapping at this path, for each of its variants. */
function validKeys(path: readonly unknown[]): string[] {
  const found = path.reduce<readonly Shape[]>(
    (shapes, key) => shapes.flatMap((shape) => formsOf(below(shape, key))),
    formsOf(ServicesSection),
  );
  return found.flatMap(({ entries = {} }) => Object.keys(entries));
}

function formsOf(shape: Shape | undefined): readonly Shape[] {
  if (shape?.wrapped !== undefined) return formsOf(shape.wrapped);
  const { pipe } = shape ?? {};
  // The schemas of a pipe see the same mapping.
  if (pipe !== undefined) return pipe.flatMap((part) => formsOf(part));
  if (shape?.type === 'lazy') return DONE_FORMS;
  return shape === undefined ? [] : [shape];
}

function below({ entries = {}, item, value }: Shape, key: unknown): Shape | undefined {
  return entries[String(key)] ?? (typeof key === 'number' ? item : value);
}
