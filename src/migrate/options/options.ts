import { grouped, type Option, type Values } from '../../cli/option.ts';
import { secretOption } from '../../cli/secret-option.ts';
import { caFileOption, tlsOption } from '../../cli/tls-option.ts';
import { DONOR_POLICIES } from '../../mysql/galera.ts';
import { PHASES } from '../../catalog/index.ts';
import { ENSURE_OPTIONS } from './ensure.ts';
import { KUBE_OPTIONS, LOCK_OPTIONS } from './lease.ts';
import { ROLLOUT_OPTIONS } from './rollout.ts';

export const CONNECTION = secretOption({
  flag: 'connection',
  env: 'KOLLA_DB_SYNC_CONNECTION',
  help: "database URL, overriding the service's configuration",
  details: "The command receives it in oslo.config's environment variable (OS_DATABASE__CONNECTION).",
  example: 'mysql+pymysql://keystone:PASSWORD@mariadb:3306/keystone',
  file: { help: 'file with the database URL', example: '/run/secrets/keystone-connection' },
});

/** Options for the location of the database. */
export const PLACE_OPTIONS = [
  ...CONNECTION,
  {
    flag: 'host',
    type: 'string',
    env: 'KOLLA_DB_SYNC_HOST',
    repeat: true,
    help: 'HOST[:PORT] of the server, overriding the URL',
    details: 'Several nodes of a cluster are tried in order; the command gets a URL with the node in use.',
    example: 'mariadb-0.mariadb:3306',
  },
  {
    flag: 'galera-donor',
    type: 'choice',
    values: DONOR_POLICIES,
    env: 'KOLLA_DB_SYNC_GALERA_DONOR',
    default: 'ok',
    help: 'handling of a Galera node that is a donor',
    details: '`ok` uses such a node; `wait` waits until it is Synced.',
    example: 'wait',
  },
] as const satisfies readonly Option[];

const OWN_OPTIONS = [
  {
    flag: 'service-config',
    type: 'path',
    env: 'KOLLA_DB_SYNC_SERVICE_CONFIG',
    help: "service's configuration file (default: the catalogue's path for SERVICE)",
    example: '/etc/keystone/keystone.conf',
  },
  {
    flag: 'timeout',
    type: 'duration',
    env: 'KOLLA_DB_SYNC_TIMEOUT',
    default: '10m',
    help: 'maximum time to wait for the database server',
    example: '30m',
  },
  tlsOption('KOLLA_DB_SYNC_TLS', "the URL's ssl_*"),
  caFileOption('KOLLA_DB_SYNC_CA_FILE'),
] as const satisfies readonly Option[];

/** Options of every command of kolla-db-sync. */
export const TARGET_OPTIONS = [...PLACE_OPTIONS, ...OWN_OPTIONS] as const satisfies readonly Option[];

/** Options of the schema migration. */
const MIGRATE_OPTIONS = [
  {
    flag: 'phase',
    type: 'choice',
    values: PHASES,
    env: 'KOLLA_DB_SYNC_PHASE',
    default: 'all',
    help: 'phase of the migration to run',
    details: 'For a rolling upgrade: `expand` and `migrate` before the rollout, `contract` and `online` after it.',
    example: 'expand',
  },
  {
    flag: 'lock-timeout',
    type: 'duration',
    env: 'KOLLA_DB_SYNC_LOCK_TIMEOUT',
    default: '1h',
    help: 'maximum time to wait for another migration',
    example: '2h',
  },
  {
    flag: 'lock-loss',
    type: 'duration',
    env: 'KOLLA_DB_SYNC_LOCK_LOSS',
    default: '40s',
    help: 'time without a confirmed lock before the command is stopped',
    details:
      'Applies as soon as the database server or the API server has not confirmed the lock for this long. Must be ' +
      'longer than the longest stall of either.',
    example: '60s',
  },
  {
    flag: 'lease',
    type: 'duration',
    env: 'KOLLA_DB_SYNC_LEASE',
    default: '60s',
    help: 'time without renewal after which the lock expires',
    details:
      'A migrator that has not renewed its Lease (on Galera also its row) for this long is considered dead. ' +
      'Must be the same for all migrators, and longer than --lock-loss.',
    example: '90s',
  },
  {
    flag: 'grace',
    type: 'duration',
    env: 'KOLLA_DB_SYNC_GRACE',
    default: '15s',
    help: 'time for the command to exit after SIGTERM',
    details:
      "Stopping the command and recording the result take up to 15 s more; the Pod's terminationGracePeriodSeconds must cover both.",
    example: '10m',
  },
  {
    flag: 'release',
    type: 'string',
    env: 'KOLLA_DB_SYNC_RELEASE',
    default: '',
    help: 'release being rolled out',
    details: 'A waiting migrator exits without changes when another has finished the same release.',
    example: '2026.1-r3',
  },
] as const satisfies readonly Option[];

/** Options that distinguish the sessions of a migration from those of the live service. */
const FENCING_OPTIONS = [
  {
    flag: 'migrate-as',
    type: 'choice',
    values: ['own', 'service'],
    env: 'KOLLA_DB_SYNC_MIGRATE_AS',
    default: 'own',
    help: 'database account for the command, with --admin-user',
    details:
      "own: a temporary account, created for this migration and dropped afterwards, if the service's tool can " +
      "use it. service: the service's account.",
    example: 'service',
  },
  {
    flag: 'predecessor-ended',
    type: 'integer',
    env: 'KOLLA_DB_SYNC_PREDECESSOR_ENDED',
    help: 'fencing token of an interrupted migration without open sessions',
    details: 'Set it after verifying that no session of that migration is left on any node.',
    example: '7',
  },
] as const satisfies readonly Option[];

/** Options of the native sidecar. */
export const SIDECAR_OPTIONS = [
  {
    flag: 'stay',
    type: 'boolean',
    env: 'KOLLA_DB_SYNC_STAY',
    help: 'run as a native sidecar until SIGTERM',
    details:
      'Serves probes on --listen from the start; /startupz and /readyz return 200 when the schema is ready ' +
      'for this release.',
    example: 'true',
  },
  {
    flag: 'listen',
    type: 'string',
    env: 'KOLLA_DB_SYNC_LISTEN',
    default: ':9809',
    help: '[ADDRESS:]PORT for the probes of --stay',
    example: '9809',
  },
  {
    flag: 'pod-name',
    type: 'string',
    env: 'POD_NAME',
    help: "this Pod's name, for --stay (default: the host name)",
    details: 'metadata.name of the downward API; used to read the startup probe of this Pod.',
    example: 'keystone-5d4f8c7b9-x2x7q',
  },
  {
    flag: 'report-stages',
    type: 'boolean',
    env: 'KOLLA_DB_SYNC_REPORT_STAGES',
    help: 'report stages and the error on stdout, as JSON lines',
    details:
      'For the program that runs this one, as kolla-sidecar does. The error is then not logged. Takes precedence over --stay.',
    example: 'true',
  },
] as const satisfies readonly Option[];

/**
 * Options of a migration wherever it runs, except those shared with other work: the service's file, timeout, the API
 * server.
 */
export const MIGRATION_OPTIONS = [
  ...grouped('Migration', MIGRATE_OPTIONS, ['phase', 'release', 'lock-timeout']),
  ...grouped('Migration', ROLLOUT_OPTIONS, ['after-rollout']),
  ...grouped('Migration', LOCK_OPTIONS, []),
  ...grouped('Migration', FENCING_OPTIONS, []),
  ...grouped('Database', PLACE_OPTIONS, ['connection-file', 'host']),
  ...grouped('Database account', ENSURE_OPTIONS, ['admin-user', 'admin-password-file']),
] as const satisfies readonly Option[];

export const SYNC_OPTIONS = [
  ...grouped('Service', OWN_OPTIONS, ['service-config', 'timeout', 'tls', 'ca-file']),
  ...MIGRATION_OPTIONS,
  ...grouped('Kubernetes', KUBE_OPTIONS, ['namespace', 'kubeconfig']),
  ...grouped('Sidecar', SIDECAR_OPTIONS, ['stay']),
] as const satisfies readonly Option[];

export type TargetOptions = Values<typeof TARGET_OPTIONS>;
export type MigrationOptions = Values<typeof MIGRATION_OPTIONS> &
  Values<typeof OWN_OPTIONS> &
  Values<typeof KUBE_OPTIONS>;
