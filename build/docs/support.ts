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
  /** The versions of its servers and of Helm, by name; runs before they were recorded have none. */
  readonly servers?: Readonly<Record<string, string>>;
  readonly commit: string;
}

/** A version of Kubernetes on which the tests of a part passed. */
export interface KubernetesResult extends Omit<CloudResult, 'openstack' | 'servers'> {
  /** `API server`: helpers, charts and operator at its API. `node`: Pods of charts. */
  readonly part: 'API server' | 'node';
}

/** A version of a server on which the tests of SERVERS passed. */
export interface ServerResult {
  readonly server: string;
  /** `3.9.0` */
  readonly version: string;
  readonly architecture: string;
  readonly commit: string;
}

export interface SupportResults {
  readonly contract: readonly ContractResult[];
  readonly clouds: readonly CloudResult[];
  readonly kubernetes: readonly KubernetesResult[];
  readonly servers: readonly ServerResult[];
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
/** What should run: one that did not has a row all the same. */
const COLUMNS: readonly Column[] = [
  ...['1.35', '1.36', '1.37'].map((kubernetes) => columnOf(kubernetes)),
  columnOf('1.35', { addresses: 'IPv6-only' }),
  columnOf('1.35', { addresses: 'dual-stack' }),
  columnOf('1.35', { architecture: 'arm64' }),
];
/** The columns of a cloud's servers and tools. */
const OF_CLOUDS = ['MariaDB', 'Galera', 'RabbitMQ', 'Elasticsearch', 'Helm'];
/** What runs on servers without a cloud. */
const SERVERS: Readonly<Record<string, string>> = {
  Elasticsearch: 'log shipping: templates, kills, rollovers, rejected lines',
  OpenSearch: 'log shipping: templates, kills, rollovers, rejected lines',
  MariaDB: 'databases, accounts, migrations and their lock, probes; a single server',
  Galera: 'the lock and its fencing across nodes, state transfers with TLS, probes',
  RabbitMQ: 'virtual hosts and accounts, probes, TLS',
  containerd: "`delivery: imageVolume`: the helpers' image mounted into Pods on a node",
};

/** The page; `generated` is its header. */
export function supportPage(results: SupportResults, generated: string): string {
  return [
    '# Support matrix',
    '',
    generated,
    '',
    'What was run. A commit is that of the latest run in which all passed.',
    '',
    '## Configuration contract',
    '',
    "kolla-pod installs what a Kolla's own `set_configs.py` installs (`make evidence`).",
    '',
    `| Kolla | OpenStack | ${CONTRACTS.join(' | ')} |`,
    `|---|---|${CONTRACTS.map(() => '---|').join('')}`,
    ...Object.entries(RELEASES).map(([kolla, openstack]) => {
      const cells = CONTRACTS.map((name) => heldIn(results, Number(kolla), name));
      return `| ${[kolla, openstack, ...cells].join(' | ')} |`;
    }),
    '',
    '## Clouds',
    '',
    '`make cloud`: OpenStack on the charts, and what its users do',
    '([stand-ins](../concepts/scope.md#what-tests-have-in-place-of-hardware)). `KUBERNETES=1.36` and `ADDRESSES=IPv6-only`',
    'choose; of a combination without a row, only the contract ran. `-`: not recorded.',
    '',
    `| OpenStack | Kubernetes | addresses | architecture | ${OF_CLOUDS.join(' | ')} | ran in |`,
    `|---|---|---|---|${OF_CLOUDS.map(() => '---|').join('')}---|`,
    ...cloudRows(results),
    '',
    '## Servers without a cloud',
    '',
    'MariaDB, Galera and RabbitMQ: `make servers`, or `make servers RABBITMQ=4.0 MARIADB=10.11` for other versions.',
    '',
    '| server | version | architecture | tests | passed in |',
    '|---|---|---|---|---|',
    ...serverRows(results),
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
  return [...new Set([...COLUMNS, ...all].map(keyOf))].map((row) => {
    const parts = (['API server', 'node'] as const).map((part) => {
      const passed = all.find((one) => one.part === part && keyOf(one) === row);
      return passed === undefined ? 'not run' : `passed in ${passed.commit}`;
    });
    return `| ${[row, ...parts].join(' | ')} |`;
  });
}

function columnOf(kubernetes: string, other: Partial<Column> = {}): Column {
  return { kubernetes, addresses: 'IPv4', architecture: 'amd64', ...other };
}

/** A row for each cloud, and for each column in which none ran. */
function cloudRows({ clouds }: SupportResults): string[] {
  const rows = clouds.map(({ openstack, kubernetes, addresses, architecture, servers = {}, commit }) => {
    const versions = OF_CLOUDS.map((name) => servers[name] ?? '-');
    return [openstack, kubernetes, addresses, architecture, ...versions, commit];
  });
  const none = COLUMNS.filter((column) => !clouds.some((cloud) => keyOf(cloud) === keyOf(column))).map((column) => {
    return ['any', column.kubernetes, column.addresses, column.architecture, ...OF_CLOUDS.map(() => '-'), 'not run'];
  });
  return [...rows, ...none].map((row) => `| ${row.join(' | ')} |`);
}

/** A row for each version, and for each server of which none ran. */
function serverRows({ servers }: SupportResults): string[] {
  const none = Object.keys(SERVERS).filter((name) => !servers.some(({ server }) => server === name));
  const missing = none.map((server) => ({ server, version: 'any', architecture: 'amd64', commit: 'not run' }));
  return [...servers, ...missing].map(({ server, version, architecture, commit }) => {
    return `| ${[server, version, architecture, SERVERS[server] ?? '', commit].join(' | ')} |`;
  });
}

function keyOf({ kubernetes, addresses, architecture }: Column): string {
  return [kubernetes, addresses, architecture].join(' | ');
}

function heldIn({ contract }: SupportResults, kolla: number, architecture: string): string {
  const held = contract.find((one) => one.kolla === kolla && one.architecture === architecture);
  return held === undefined ? 'not run' : `held in ${held.commit}`;
}
