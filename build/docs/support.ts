/** docs/reference/support.md, from the results that runs have recorded in docs/evidence/support.json. */

/** A release of Kolla whose configuration contract held. */
export interface ContractResult {
  readonly kolla: number;
  readonly architecture: string;
  readonly commit: string;
}

/** A cloud whose users' operations passed. */
export interface CloudResult {
  readonly openstack: string;
  /** The minor version: `1.35`. */
  readonly kubernetes: string;
  readonly architecture: string;
  readonly addresses: Addresses;
  readonly commit: string;
}

/** A version of Kubernetes on which the tests of a part passed. */
export interface KubernetesResult extends Omit<CloudResult, 'openstack'> {
  /** `API server`: helpers, charts and operator at its API. `node`: Pods of charts. */
  readonly part: 'API server' | 'node';
}

export interface SupportResults {
  readonly contract: readonly ContractResult[];
  readonly clouds: readonly CloudResult[];
  readonly kubernetes: readonly KubernetesResult[];
}

export type Addresses = 'IPv4' | 'IPv6-only' | 'dual-stack';

/** Kolla's releases, with OpenStack's. */
export const RELEASES: Readonly<Record<number, string>> = {
  18: '2024.1',
  19: '2024.2',
  20: '2025.1',
  21: '2025.2',
  22: '2026.1',
  23: '2026.2',
};

type Column = Pick<CloudResult, 'architecture' | 'kubernetes' | 'addresses'>;

const CONTRACTS = ['amd64', 'arm64'];
const COLUMNS: readonly Column[] = [
  ...['1.35', '1.36', '1.37'].map((kubernetes) => columnOf(kubernetes)),
  columnOf('1.35', { addresses: 'IPv6-only' }),
  columnOf('1.35', { addresses: 'dual-stack' }),
  columnOf('1.35', { architecture: 'arm64' }),
];

/** The page; `generated` is its header. */
export function supportPage(results: SupportResults, generated: string): string {
  const titles = COLUMNS.map(({ architecture, kubernetes, addresses }) => {
    return `Kubernetes ${kubernetes}, ${addresses}, ${architecture}`;
  });
  return [
    '# Support matrix',
    '',
    generated,
    '',
    'What was run, by OpenStack release and by Kubernetes version, addresses and architecture. The commit is that of the',
    'latest run that passed.',
    '',
    '| cell | means |',
    '|---|---|',
    '| ran in COMMIT | `make cloud`: OpenStack of this release on the charts, and what its users do ([stand-ins](../concepts/scope.md#what-tests-have-in-place-of-hardware)) |',
    "| held in COMMIT | kolla-pod installs what this Kolla's own `set_configs.py` installs (`make evidence`) |",
    '| contract only | that, and no cloud was run |',
    '| not run | neither |',
    '',
    `| Kolla | OpenStack | ${[...CONTRACTS.map((name) => `contract, ${name}`), ...titles].join(' | ')} |`,
    `|---|---|${[...CONTRACTS, ...titles].map(() => '---|').join('')}`,
    ...Object.entries(RELEASES).map(([kolla, openstack]) => {
      const cells = COLUMNS.map((column) => cellOf(results, Number(kolla), openstack, column));
      const contracts = CONTRACTS.map((name) => {
        const held = contractOf(results, Number(kolla), name);
        return held === undefined ? 'not run' : `held in ${held.commit}`;
      });
      return `| ${kolla} | ${openstack} | ${[...contracts, ...cells].join(' | ')} |`;
    }),
    '',
    '## Kubernetes without a cloud',
    '',
    'Tests that need no whole OpenStack, by `make kubernetes KUBERNETES=1.36`; the commit is that of the latest run in which all',
    'passed.',
    '',
    '| column | tests |',
    '|---|---|',
    '| API server | waits, Leases, Secrets, Roles, faults, `kubernetes-entrypoint`, charts and operator at its API; Pods do not run |',
    "| node | kubelet and containerd run the quickstart's charts (MariaDB, RabbitMQ, memcached, Keystone, Placement), with migrations, probes and log shipping at the addresses themselves |",
    '',
    '| Kubernetes | addresses | architecture | API server | node |',
    '|---|---|---|---|---|',
    ...kubernetesRows(results),
    '',
    "A cloud's images have Kolla's layout and users, and OpenStack from PyPI; no image was built by Kolla. Other tested",
    'versions: [scope](../concepts/scope.md#tested-versions).',
    '',
  ].join('\n');
}

/** The columns of clouds, and what else was run. */
function kubernetesRows({ kubernetes: all }: SupportResults): string[] {
  const key = ({ kubernetes, addresses, architecture }: Column) => [kubernetes, addresses, architecture].join(' | ');
  return [...new Set([...COLUMNS, ...all].map(key))].map((row) => {
    const parts = (['API server', 'node'] as const).map((part) => {
      const passed = all.find((one) => one.part === part && key(one) === row);
      return passed === undefined ? 'not run' : `passed in ${passed.commit}`;
    });
    return `| ${[row, ...parts].join(' | ')} |`;
  });
}

function columnOf(kubernetes: string, other: Partial<Column> = {}): Column {
  return { kubernetes, addresses: 'IPv4', architecture: 'amd64', ...other };
}

function cellOf(results: SupportResults, kolla: number, openstack: string, column: Column): string {
  const ran = results.clouds.find(
    (cloud) =>
      cloud.openstack === openstack &&
      cloud.architecture === column.architecture &&
      cloud.kubernetes === column.kubernetes &&
      cloud.addresses === column.addresses,
  );
  if (ran !== undefined) return `ran in ${ran.commit}`;
  return contractOf(results, kolla, column.architecture) === undefined ? 'not run' : 'contract only';
}

function contractOf({ contract }: SupportResults, kolla: number, architecture: string): ContractResult | undefined {
  return contract.find((one) => one.kolla === kolla && one.architecture === architecture);
}
