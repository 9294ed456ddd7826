/** docs/reference/catalogue.md, from the services' data. */
import { chartNames } from '../charts.ts';
import { endpointText, grantText, lineOf } from '../../src/toolbox/catalogue.ts';
import { PHASES, type Service, type Step, type UpgradeCheck } from '../../src/catalog/index.ts';

/**
 * Packages of 2026.1 from PyPI whose commands were run by hand on a real MariaDB. No test runs them, so a change of such
 * a command needs another run, or its entry goes.
 */
const RUN_BY_HAND: Readonly<Record<string, string>> = {
  aodh: '22.0.1',
  barbican: '22.0.0',
  blazar: '17.0.0',
  ceilometer: '26.0.0',
  cloudkitty: '24.0.0',
  cyborg: '16.0.1',
  designate: '22.0.1',
  gnocchi: '4.7.1',
  ironic: '35.1.0',
  magnum: '22.0.0',
  manila: '22.0.2',
  masakari: '21.0.0',
  mistral: '22.0.0',
  octavia: '18.0.1',
  skyline: '8.0.0',
  tacker: '15.0.0',
  trove: '25.1.0',
  watcher: '16.0.2',
};

/** The page with every service; `generated` is its header. */
export function cataloguePage(services: readonly Service[], generated: string): string {
  const charts = new Set(chartNames());
  const others = services.map(({ name }) => name).filter((name) => !charts.has(name));
  const untried = others.filter((name) => RUN_BY_HAND[name] === undefined);
  const byHand = others.flatMap((name) => (RUN_BY_HAND[name] === undefined ? [] : `${name} ${RUN_BY_HAND[name]}`));
  return [
    '# Services',
    '',
    generated,
    '',
    "The built-in data of `kolla-db-sync SERVICE` for each service of Kolla's images; `kolla-pod catalogue` prints the same, plus your own",
    'services ([kolla-db-sync.md](kolla-db-sync.md#services-of-your-own)). `all` is a complete migration with no replica running;',
    '`expand` and `migrate` run before a rollout, `contract` and `online` after it. If a service has only `all`, its tool has a single',
    'step: run it before the rollout; it may break replicas of the old release. Health checks of each container:',
    '[kolla-probe.md](kolla-probe.md#which-probe-for-which-service).',
    '',
    'Commands of services with a chart are compared with the help of the tools of the release, and run, by `make cloud`.',
    'Those of the other services of 2026.2 are run in each state of the database by `make tool-codes` ([results](tool-codes.md)), and the',
    'special cases by tests. By hand each command was run twice on MariaDB 10.11, first through kolla-db-sync, with',
    `these packages of 2026.1: ${byHand.join(', ')}.`,
    'There CloudKitty stored its data in MariaDB, Gnocchi in files, and Ceilometer called Gnocchi without Keystone. Databases without data',
    'were also migrated from 2025.1 to 2026.1 (not for Ceilometer) and from 2026.1 to 2026.2 (not for Ceilometer and Gnocchi, and with the',
    'libraries of 2026.1). 2025.2 was not run.',
    ...(untried.length === 0 ? [] : [`Not tried: ${untried.join(', ')}.`]),
    '',
    ...services.flatMap(part),
  ].join('\n');
}

function part(service: Service): string[] {
  const { name, summary, configFile, user, databases, migration, notes } = service;
  const rows = databases.map(({ name: database, url, optional, versionTable, parts = [] }) => {
    const places = url.map(({ section, key }) => code(`[${section}] ${key}`)).join(' or ');
    const tables = [versionTable, ...parts.map((more) => more.versionTable)].filter((table) => table !== undefined);
    const where = url.length === 0 ? 'passed to kolla-db-sync' : `${places}${optional ? ', if set' : ''}`;
    return `| ${code(database)} | ${where} | ${tables.map(code).join(', ')} |`;
  });
  const steps = PHASES.flatMap((phase) =>
    (migration.phases[phase] ?? []).map((step: Step) => `| ${phase} | ${code(lineOf(step))} | ${meanings(step)} |`),
  );
  const { check, upgradeCheck } = migration;
  const facts = [
    ...(user === undefined ? [] : [`runs as ${code(user)}`]),
    ...(configFile === undefined ? [] : [`configuration ${code(configFile)}`]),
  ];
  return [
    `## ${name}`,
    '',
    `${summary}${facts.length === 0 ? '' : `; ${facts.join('; ')}`}.${notes === undefined ? '' : ` ${notes}`}`,
    '',
    ...(rows.length === 0 ? [] : ['| database | URL | version table |', '|---|---|---|', ...rows, '']),
    '| phase | step | exit codes other than 0 |',
    '|---|---|---|',
    ...steps,
    ...(check === undefined ? [] : [`| check | ${code(lineOf(check))} | ${list(check.codes)} |`]),
    ...(upgradeCheck === undefined
      ? []
      : [
          `| before an upgrade | ${code(lineOf(upgradeCheck))} | 1: warnings; 2: failures; 255: an error of its own; ${readsOf(upgradeCheck)} |`,
        ]),
    '',
    ...bootstrapPart(service),
  ];
}

/** What a success of the check is about. */
function readsOf({ readsDatabase, needs = [] }: UpgradeCheck): string {
  const reads = readsDatabase === true ? 'it reads the database' : 'it **never reads the database**';
  return [reads, ...needs.map((program) => `it needs ${code(program)}`)].join('; ');
}

/** The objects that kolla-bootstrap creates before the service's first start. */
function bootstrapPart({ identity = {}, queue, keys = [] }: Service): string[] {
  const { domains = [], roles = [], users = [], services = [] } = identity;
  const rows = [
    ...domains.map((domain) => ['domain', code(domain), '']),
    ...roles.map((role) => ['role', code(role), '']),
    ...users.map(({ name, domain, grants }) => [
      'user',
      `${code(name)}${domain === undefined ? '' : ` in domain ${code(domain)}`}`,
      grants.map(grantText).join(', '),
    ]),
    ...services.map((entry) => ['service', `${code(entry.name)}, type ${code(entry.type)}`, code(endpointText(entry))]),
    ...(queue === undefined
      ? []
      : [
          [
            'queue',
            `virtual host ${code(queue.vhost)}, user ${code(queue.user)}`,
            `${queue.url.map(({ section, key }) => code(`[${section}] ${key}`)).join(' or ')}${queue.optional ? ', if set' : ''}`,
          ],
        ]),
    ...keys.map(({ name, secret, directory }) => ['keys', `${code(name)}, Secret ${code(secret)}`, code(directory)]),
  ];
  if (rows.length === 0) return [];
  return ['| before first start | | |', '|---|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`), ''];
}

function meanings({ again = [], codes = {} }: Step): string {
  return [...again.map((number) => `${number}: repeat`), list(codes)].filter((text) => text !== '').join('; ');
}

function list(codes: Readonly<Record<number, string>>): string {
  return Object.entries(codes)
    .map(([number, meaning]) => `${number}: ${meaning}`)
    .join('; ');
}

function code(text: string): string {
  return `\`${text.replaceAll('|', String.raw`\|`)}\``;
}
