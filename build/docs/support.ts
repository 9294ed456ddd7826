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

export interface SupportResults {
  readonly contract: readonly ContractResult[];
  readonly clouds: readonly CloudResult[];
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

const COLUMNS: readonly Column[] = [
  ...['1.35', '1.36', '1.37'].map((kubernetes) => columnOf(kubernetes)),
  columnOf('1.35', { addresses: 'IPv6-only' }),
  columnOf('1.35', { addresses: 'dual-stack' }),
  columnOf('1.35', { architecture: 'arm64' }),
];

/** The page; `generated` is its header. */
export function supportPage(results: SupportResults, generated: string): string {
  const titles = COLUMNS.map(({ architecture, kubernetes, addresses }) => {
    return `${kubernetes}, ${addresses}, ${architecture}`;
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
    "| contract only, COMMIT | kolla-pod installs what this Kolla's own `set_configs.py` installs; nothing was run on it |",
    '| not run | neither |',
    '',
    `| Kolla | OpenStack | ${titles.join(' | ')} |`,
    `|---|---|${titles.map(() => '---|').join('')}`,
    ...Object.entries(RELEASES).map(([kolla, openstack]) => {
      const cells = COLUMNS.map((column) => cellOf(results, Number(kolla), openstack, column));
      return `| ${kolla} | ${openstack} | ${cells.join(' | ')} |`;
    }),
    '',
    "A cloud's images have Kolla's layout and users, and OpenStack from PyPI; no image was built by Kolla. Other tested",
    'versions: [scope](../concepts/scope.md#tested-versions).',
    '',
  ].join('\n');
}

function columnOf(kubernetes: string, other: Partial<Column> = {}): Column {
  return { kubernetes, addresses: 'IPv4', architecture: 'amd64', ...other };
}

function cellOf({ contract, clouds }: SupportResults, kolla: number, openstack: string, column: Column): string {
  const ran = clouds.find(
    (cloud) =>
      cloud.openstack === openstack &&
      cloud.architecture === column.architecture &&
      cloud.kubernetes === column.kubernetes &&
      cloud.addresses === column.addresses,
  );
  if (ran !== undefined) return `ran in ${ran.commit}`;
  const held = contract.find((one) => one.kolla === kolla && one.architecture === column.architecture);
  return held === undefined ? 'not run' : `contract only, ${held.commit}`;
}
