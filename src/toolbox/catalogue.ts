import { command } from '../cli/command.ts';
import { ExitCode, UsageError } from '../core/errors.ts';
import { suggestion } from '../core/nearest.ts';
import { outputOption } from '../cli/output-option.ts';
import { fold, table } from '../cli/table.ts';
import { paint, type Terminal } from '../core/terminal.ts';
import { INFRASTRUCTURE } from '../catalog/infrastructure.ts';
import {
  type Grant,
  type IdentityService,
  type Infrastructure,
  INTERFACES,
  knownServices,
  PHASES,
  type Probe,
  type Service,
  type Step,
  type ToolTask,
} from '../catalog/index.ts';

/** Prints the data of each service, including those of kolla-pod.yaml. */
export const catalogue = command({
  summary: 'Prints the built-in catalogue of OpenStack services.',
  description:
    'Shows databases with the options for their URLs, migration steps by phase, the schema check, accounts and ' +
    'endpoints in Keystone, the queue, and the health checks of each container. Infrastructure ' +
    '(rabbitmq, mariadb ...) has only health checks. In JSON the other entries have the format of ' +
    '`services:` in kolla-pod.yaml.',
  operands: [{ name: 'SERVICE', help: 'service to show in full', optional: true }],
  options: [outputOption('KOLLA_POD_CATALOGUE_OUTPUT', 'table')],
  examples: [
    { line: 'kolla-pod catalogue', does: 'all services, one per line' },
    { line: 'kolla-pod catalogue nova', does: 'one service in full' },
    { line: 'kolla-pod catalogue -o json', does: 'everything, as JSON' },
  ],
  async run({ operands: [name], options }, { stdout, terminal, podFile }) {
    const services = await knownServices(podFile);
    const beneath = INFRASTRUCTURE.filter(({ name: one }) => services.every((service) => service.name !== one));
    const all = [...services, ...beneath].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const chosen = name === undefined ? all : all.filter((service) => service.name === name);
    const [first] = chosen;
    if (first === undefined) {
      const names = all.map((service) => service.name);
      throw new UsageError(`no service '${name}'${suggestion(name ?? '', names)}`);
    }
    if (options.output === 'json') stdout(`${JSON.stringify(entriesOf(chosen), undefined, 2)}\n`);
    else stdout(name === undefined ? list(chosen, terminal) : pageOf(first, terminal));
    return ExitCode.ok;
  },
});

type Entry = Service | Infrastructure;

/** Services by name, in the form of kolla-pod.yaml. */
function entriesOf(services: readonly Entry[]): Record<string, Omit<Entry, 'name'>> {
  return Object.fromEntries(services.map(({ name, ...rest }) => [name, rest]));
}

/** The phases of a service, as `--phase` accepts them. */
function phasesOf({ migration }: Service): string[] {
  return PHASES.filter((phase) => migration.phases[phase] !== undefined);
}

/** A command line in readable form. */
export function lineOf({ argv, directory }: Pick<Step, 'argv' | 'directory'>): string {
  const line = argv
    .map((word) => (/^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(' ');
  return directory === undefined ? line : `${line} (in ${directory})`;
}

function list(entries: readonly Entry[], terminal: Terminal): string {
  const rows = entries.map((entry) => [
    entry.name,
    entry.summary,
    ...('migration' in entry
      ? [phasesOf(entry).join(', '), entry.migration.check === undefined ? '' : 'yes']
      : ['', '']),
  ]);
  return table(terminal, ['SERVICE', 'WHAT', 'PHASES', 'CHECK'], rows);
}

function pageOf(entry: Entry, terminal: Terminal): string {
  if ('migration' in entry) return page(entry, terminal);
  const title = `${paint(terminal, 'bold', entry.name)}: ${entry.summary}`;
  return [title, '', ...probesOf(entry.probes, terminal)].join('\n');
}

function page(service: Service, terminal: Terminal): string {
  const { name, summary, configFile, user, databases, migration, notes } = service;
  const { check, upgradeCheck } = migration;
  const title = (text: string) => paint(terminal, 'bold', text);
  const facts = [
    ...(configFile === undefined ? [] : [['configuration', configFile]]),
    ...(user === undefined ? [] : [['user', user]]),
    ...databases.map((database) => ['database', `${database.name}${placesOf(database.url)}`]),
  ];
  const steps = phasesOf(service).flatMap((phase) =>
    (migration.phases[phase as keyof typeof migration.phases] ?? []).map((step, i) => [
      i === 0 ? phase : '',
      `${lineOf(step)}${step.again === undefined ? '' : `, again while it ends with ${step.again.join(' or ')}`}`,
    ]),
  );
  const codes = Object.entries(check?.codes ?? {}).map(([code, meaning]) => [code, meaning]);
  return [
    `${title(name)}: ${summary}`,
    '',
    table(terminal, [], facts),
    title('Steps'),
    table(terminal, [], steps),
    ...bootstrapOf(service, terminal),
    ...(check === undefined ? [] : [`${title('Check')} ${lineOf(check)}`, table(terminal, [], codes)]),
    ...(upgradeCheck === undefined ? [] : [`${title('Before an upgrade')} ${lineOf(upgradeCheck)}`, '']),
    ...probesOf(service.probes, terminal),
    ...(notes === undefined ? [] : [...fold(notes, terminal.width), '']),
  ].join('\n');
}

/** The checks of each container, as arguments of kolla-probe. */
function probesOf(probes: readonly Probe[] | undefined, terminal: Terminal): string[] {
  if (probes === undefined) return [];
  const rows = probes.flatMap(({ container, declared, disabledSince, liveness, readiness, notes }) => [
    [container, 'readiness', readiness],
    ['', 'liveness', liveness],
    ...(declared === undefined ? [] : [['', 'Kolla', declared]]),
    ...(disabledSince === undefined ? [] : [['', '', `disabled by default since kolla-ansible ${disabledSince}`]]),
    ...(notes === undefined ? [] : [['', '', notes]]),
  ]);
  return [paint(terminal, 'bold', 'Probes'), table(terminal, [], rows)];
}

function placesOf(url: Service['databases'][number]['url']): string {
  return url.length === 0
    ? '; its URL must be given'
    : `, ${url.map(({ section, key }) => `[${section}] ${key}`).join(' or ')}`;
}

/** The objects that kolla-bootstrap creates. */
function bootstrapOf({ identity = {}, queue, keys = [], tool = [] }: Service, terminal: Terminal): string[] {
  const { domains = [], roles = [], users = [], services = [] } = identity;
  const rows = [
    ...domains.map((name) => ['domain', name]),
    ...roles.map((name) => ['role', name]),
    ...users.map(({ name, domain, grants }) => [
      'user',
      `${name}${domain === undefined ? '' : ` in domain ${domain}`}: ${grants.map(grantText).join(', ')}`,
    ]),
    ...services.map((entry) => ['service', `${entry.name} (${entry.type}), ${endpointText(entry)}`]),
    ...(queue === undefined
      ? []
      : [['queue', `virtual host ${queue.vhost}, user ${queue.user}${placesOf(queue.url)}`]]),
    ...keys.map(({ name, secret, directory }) => ['keys', `${name}: Secret ${secret}, read at ${directory}`]),
    ...tool.flatMap(toolRows),
  ];
  return rows.length === 0 ? [] : [paint(terminal, 'bold', 'Before its first start'), table(terminal, [], rows)];
}

/** The tasks of the service's own tool, with their command lines and settings. */
function toolRows({ name, summary, steps, settings = {}, variables = [] }: ToolTask): string[][] {
  const required = variables.filter((variable) => variable.required === true);
  return [
    ['tool', `${name}: ${summary}`],
    ...steps.map((step) => ['', lineOf(step)]),
    ...Object.entries(settings).map(([setting, value]) => ['', `default: --set ${setting}=${value}`]),
    ...required.map((variable) => ['', `needs ${[variable.name, ...(variable.otherwise ?? [])].join(' or ')}`]),
  ];
}

/** A role for users: `admin on project service`. */
export function grantText({ role, project, domain }: Grant): string {
  if (project !== undefined) return `${role} on project ${project}`;
  return domain === undefined ? `${role} on the system` : `${role} on domain ${domain}`;
}

/** Port and path of an endpoint: `:8776/v3`. If they differ by interface, those of each interface. */
export function endpointText({ endpoints }: IdentityService): string {
  const all = INTERFACES.flatMap((name) => {
    const one = endpoints[name];
    return one === undefined ? [] : [{ name, text: `:${one.port}${one.path}` }];
  });
  const isSame = all.every(({ text }) => text === all[0]?.text);
  return isSame ? (all[0]?.text ?? 'no endpoint') : all.map(({ name, text }) => `${name} ${text}`).join(', ');
}
