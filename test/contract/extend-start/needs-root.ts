/** The starts that need root, with their alternatives. Any other failure, and any success here, fails the test. */
export interface NeedsRoot {
  readonly script: string;
  /** The variable that is set; '' for the service. */
  readonly variables: readonly string[];
  /** The error that is expected. */
  readonly why: RegExp;
  readonly instead: string;
}

const SKIP = 'set `KOLLA_SKIP_EXTEND_START=1`';
const ALTERNATIVES = /asks for root to run '\/usr\/bin\/update-alternatives'/;
const WRAPPERS = /asks for root to run '\/usr\/local\/lib\/neutron-wrappers\/delete-wrappers'/;

export const NEEDS_ROOT: readonly NeedsRoot[] = [
  {
    script: 'ceilometer/ceilometer-notification/extend_start.sh',
    variables: ['KOLLA_BOOTSTRAP'],
    why: /asks for root to run 'chown -R ceilometer: \/var\/lib\/ceilometer\/'/,
    instead: 'make `ceilometer-upgrade`, which the script runs first, the command of the Job',
  },
  {
    script: 'fluentd/extend_start.sh',
    variables: [''],
    why: /asks for root to run 'chown fluentd:kolla \/var\/log\/kolla'/,
    instead: `${SKIP}: the group kolla can write the directory anyway`,
  },
  {
    script: 'ironic/ironic-pxe/extend_start.sh',
    variables: ['', 'KOLLA_BASE_DISTRO=rocky'],
    why: /line \d+: \/map-file: Read-only file system/,
    instead: `${SKIP}, and let config.json put the map file into a volume`,
  },
  {
    script: 'mariadb-server/extend_start.sh',
    variables: ['KOLLA_BOOTSTRAP'],
    why: /asks for root to run 'kolla_security_reset'/,
    instead: "use the image's own initialization or an operator; later starts need no root",
  },
  ...['neutron/neutron-base', 'neutron/neutron-server'].map((image) => ({
    script: `${image}/extend_start.sh`,
    variables: ['', 'KOLLA_BOOTSTRAP', 'KOLLA_UPGRADE'],
    why: ALTERNATIVES,
    instead: `on Debian and Ubuntu: ${SKIP}, and run \`kolla-db-sync\` for the schema; Rocky images work`,
  })),
  {
    script: 'neutron/neutron-l3-agent/extend_start.sh',
    variables: [''],
    why: ALTERNATIVES,
    instead: `${SKIP}; agents need additional capabilities anyway`,
  },
  ...['neutron-dhcp-agent', 'neutron-metadata-agent'].map((image) => ({
    script: `neutron/${image}/extend_start.sh`,
    variables: [''],
    why: WRAPPERS,
    instead: `${SKIP}; agents need additional capabilities anyway`,
  })),
  {
    script: 'neutron/neutron-l3-agent/extend_start.sh',
    variables: ['KOLLA_BASE_DISTRO=rocky'],
    why: WRAPPERS,
    instead: `${SKIP}; agents need additional capabilities anyway`,
  },
];
