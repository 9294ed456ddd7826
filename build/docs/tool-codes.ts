/** docs/reference/tool-codes.md, from the results of `make tool-codes`. */
import { SERVICES } from '../../src/catalog/index.ts';

/** What the steps of a migration do in one state of the server or the database. */
export interface StateCodes {
  /** Exit codes of its steps, up to the first that is not 0. */
  readonly codes: readonly number[];
  /** What the version tables show afterwards. */
  readonly version: 'head' | 'behind' | 'newer' | 'unproven';
}

export interface CheckCodes {
  /** Whether it has connected to the server of the database. */
  readonly readsDatabase: boolean;
  /** A code is missing if the check did not answer in time. */
  readonly codes: { readonly unreachable?: number; readonly head?: number };
}

/** The results of one tool. */
export interface ToolCodes {
  readonly service: string;
  readonly release: string;
  readonly version: string;
  readonly states: {
    readonly refused: StateCodes;
    readonly readOnlyEmpty: StateCodes;
    readonly empty: StateCodes;
    readonly again: StateCodes;
    readonly newer?: StateCodes;
    readonly half?: StateCodes;
  };
  readonly check?: CheckCodes;
}

const STATES = [
  ['refused', 'refused', 'nothing listens at the port of the server'],
  ['readOnlyEmpty', 'read-only, empty', '`read_only=1`, and the database has no table'],
  ['empty', 'empty', 'the database has no table'],
  ['again', 'at head', 'the same migration once more'],
  ['newer', 'newer', 'the version table has a revision that the tool does not know'],
  ['half', 'half migrated', 'the tables are there, the version table is empty: killed in its first revision'],
] as const;

/** The page; `generated` is its header. */
export function toolCodesPage(results: readonly ToolCodes[], generated: string): string {
  const releases = [...new Set(results.map(({ release }) => release))].toSorted().toReversed();
  return [
    "# What the tools' exit codes say",
    '',
    generated,
    '',
    'Exit codes of the real tools on MariaDB, printed from a run (`make tool-codes`). kolla-db-sync trusts none of them alone: after',
    'the steps it reads the version table ([how](kolla-db-sync.md#after-a-step)).',
    '',
    '| state | is |',
    '|---|---|',
    ...STATES.map(([, title, what]) => `| ${title} | ${what} |`),
    '',
    'A cell has the exit code of each step, up to the first that fails. **Bold**: the code alone misleads, being 0 without the head, or',
    'another at the head. Upgrade checks run as they are: without `ipmitool` (Ironic), without a jobboard (Octavia). Tools run without',
    "the other services: Cyborg's second step asks Nova. Gnocchi's tool creates what is missing and stamps its head, whatever is there.",
    ...releases.flatMap((release) => ['', ...part(release, results)]),
    '',
  ].join('\n');
}

function part(release: string, all: readonly ToolCodes[]): string[] {
  const results = all.filter((one) => one.release === release);
  const checks = results.flatMap(({ service, check }) => (check === undefined ? [] : [{ service, check }]));
  return [
    `## ${release}`,
    '',
    `| tool | ${STATES.map(([, title]) => title).join(' | ')} |`,
    `|---|${STATES.map(() => '---').join('|')}|`,
    ...results.map(
      ({ service, version, states }) =>
        `| ${programOf(service)} (${service} ${version}) | ${STATES.map(([key]) => cell(states[key])).join(' | ')} |`,
    ),
    '',
    '`not known`: no answer within 200 s on the loaded machine of the run, which says nothing of the check; a missing tool was not run.',
    '',
    '| `upgrade check` of | reads the database | unreachable | at head |',
    '|---|---|---|---|',
    ...checks.map(({ service, check: { readsDatabase, codes } }) => {
      const cells = [codes.unreachable, codes.head].map((code) => code ?? 'not known');
      return `| ${service} | ${readsDatabase ? 'yes' : '**no**'} | ${cells.join(' | ')} |`;
    }),
  ];
}

function programOf(service: string): string {
  const found = SERVICES.find(({ name }) => name === service);
  return `\`${found?.migration.phases.all[0].argv[0] ?? service}\``;
}

function cell(state: StateCodes | undefined): string {
  if (state === undefined) return '';
  const { codes, version } = state;
  const text = codes.join(', ');
  const failed = codes.some((code) => code !== 0);
  const misleads = failed ? version === 'head' && codes.length === 1 : version === 'behind' || version === 'newer';
  return misleads ? `**${text}**` : text;
}
