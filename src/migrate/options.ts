import { grouped, type Option, type Values } from '../cli/option.ts';
import { DONOR_POLICIES } from '../mysql/index.ts';
import { PHASES } from '../catalog/index.ts';
import { ENSURE_OPTIONS } from './ensure/options.ts';
import { KUBE_OPTIONS, LOCK_OPTIONS } from './lease/options.ts';
import { ROLLOUT_OPTIONS } from './rollout/options.ts';

/** Where the database is. */
export const PLACE_OPTIONS = [
  {
    flag: 'connection',
    type: 'string',
    env: 'KOLLA_DB_SYNC_CONNECTION',
    secret: true,
    help: "the service's database URL, instead of the one in its configuration; the command gets it as oslo.config reads it from the environment (OS_DATABASE__CONNECTION)",
    example: 'mysql+pymysql://keystone:PASSWORD@mariadb:3306/keystone',
  },
  {
    flag: 'connection-file',
    type: 'path',
    env: 'KOLLA_DB_SYNC_CONNECTION_FILE',
    help: 'file with that URL',
    example: '/run/secrets/keystone-connection',
  },
  {
    flag: 'host',
    type: 'string',
    env: 'KOLLA_DB_SYNC_HOST',
    repeat: true,
    help: 'HOST[:PORT] instead of the one in the URL; several nodes of one cluster are tried in this order, and the command gets the URL with the one that is used',
    example: 'mariadb-0.mariadb:3306',
  },
  {
    flag: 'galera-donor',
    type: 'choice',
    values: DONOR_POLICIES,
    env: 'KOLLA_DB_SYNC_GALERA_DONOR',
    default: 'ok',
    help: 'whether a Galera node that is sending its state to another is used, or waited for until it is Synced',
    example: 'wait',
  },
] as const satisfies readonly Option[];

const OWN_OPTIONS = [
  {
    flag: 'service-config',
    type: 'path',
    env: 'KOLLA_DB_SYNC_SERVICE_CONFIG',
    help: "the service's configuration file (default: the service's own, such as /etc/keystone/keystone.conf)",
    example: '/etc/keystone/keystone.conf',
  },
  {
    flag: 'timeout',
    type: 'duration',
    env: 'KOLLA_DB_SYNC_TIMEOUT',
    default: '10m',
    help: 'how long to wait for the database server',
    example: '30m',
  },
] as const satisfies readonly Option[];

/** Shared by every command of kolla-db-sync. */
export const TARGET_OPTIONS = [...PLACE_OPTIONS, ...OWN_OPTIONS] as const satisfies readonly Option[];

/** How the schema is migrated. */
const MIGRATE_OPTIONS = [
  {
    flag: 'phase',
    type: 'choice',
    values: PHASES,
    env: 'KOLLA_DB_SYNC_PHASE',
    default: 'all',
    help: 'a part of the migration, for an upgrade under load: expand and migrate before the rollout, contract and online after it',
    example: 'expand',
  },
  {
    flag: 'lock-timeout',
    type: 'duration',
    env: 'KOLLA_DB_SYNC_LOCK_TIMEOUT',
    default: '1h',
    help: 'how long to wait for another migration of the same database',
    example: '2h',
  },
  {
    flag: 'lock-loss',
    type: 'duration',
    env: 'KOLLA_DB_SYNC_LOCK_LOSS',
    default: '40s',
    help: 'stop the command when the database server or the API server has not confirmed the lock for this long; longer than their worst stall',
    example: '60s',
  },
  {
    flag: 'lease',
    type: 'duration',
    env: 'KOLLA_DB_SYNC_LEASE',
    default: '60s',
    help: 'a migrator that has not renewed its Lease, or on Galera its row, for this long is taken for dead; the same for all, and longer than --lock-loss',
    example: '90s',
  },
  {
    flag: 'grace',
    type: 'duration',
    env: 'KOLLA_DB_SYNC_GRACE',
    default: '15s',
    help: "after SIGTERM the command may go on for this long; to stop it and to record that takes up to 15 s more, which the Pod's terminationGracePeriodSeconds must hold as well",
    example: '10m',
  },
  {
    flag: 'release',
    type: 'string',
    env: 'KOLLA_DB_SYNC_RELEASE',
    default: '',
    help: 'what is being rolled out; one that waited does nothing when the same release was finished meanwhile',
    example: '2026.1-r3',
  },
] as const satisfies readonly Option[];

/** How a migration's sessions are told from the live service's. */
const FENCING_OPTIONS = [
  {
    flag: 'migrate-as',
    type: 'choice',
    values: ['own', 'service'],
    env: 'KOLLA_DB_SYNC_MIGRATE_AS',
    default: 'own',
    help: "with --admin-user: the account of the command; own is made for it and dropped at the end, where the service's tool can be told",
    example: 'service',
  },
  {
    flag: 'predecessor-ended',
    type: 'integer',
    env: 'KOLLA_DB_SYNC_PREDECESSOR_ENDED',
    help: 'token of a migration that was cut off: you have made sure that none of its sessions is left on any node',
    example: '7',
  },
] as const satisfies readonly Option[];

/** For who runs as a native sidecar. */
export const SIDECAR_OPTIONS = [
  {
    flag: 'stay',
    type: 'boolean',
    env: 'KOLLA_DB_SYNC_STAY',
    help: 'as a native sidecar: stay after the migration until SIGTERM, and answer probes on --listen from the start; /startupz and /readyz only when the schema is right for this release',
    example: 'true',
  },
  {
    flag: 'listen',
    type: 'string',
    env: 'KOLLA_DB_SYNC_LISTEN',
    default: ':9809',
    help: "with --stay: [ADDRESS:]PORT for /startupz, /livez and /readyz; all of the pod's addresses unless one is given",
    example: '9809',
  },
  {
    flag: 'pod-name',
    type: 'string',
    env: 'POD_NAME',
    help: "with --stay: this Pod's name (metadata.name by the downward API), to check its startup probe; the host name unless given",
    example: 'keystone-5d4f8c7b9-x2x7q',
  },
] as const satisfies readonly Option[];

/** What a migration takes wherever it runs, but for what it shares with others: the service's file, time, the API server. */
export const MIGRATION_OPTIONS = [
  ...grouped('Migration', MIGRATE_OPTIONS, ['phase', 'release', 'lock-timeout']),
  ...grouped('Migration', ROLLOUT_OPTIONS, ['after-rollout']),
  ...grouped('Migration', LOCK_OPTIONS, []),
  ...grouped('Migration', FENCING_OPTIONS, []),
  ...grouped('Database', PLACE_OPTIONS, ['connection-file', 'host']),
  ...grouped('Database account', ENSURE_OPTIONS, ['admin-user', 'admin-password-file']),
] as const satisfies readonly Option[];

export const SYNC_OPTIONS = [
  ...grouped('Service', OWN_OPTIONS, ['service-config', 'timeout']),
  ...MIGRATION_OPTIONS,
  ...grouped('Kubernetes', KUBE_OPTIONS, ['namespace', 'kubeconfig']),
  ...grouped('Sidecar', SIDECAR_OPTIONS, ['stay']),
] as const satisfies readonly Option[];

export type TargetOptions = Values<typeof TARGET_OPTIONS>;
export type MigrationOptions = Values<typeof MIGRATION_OPTIONS> &
  Values<typeof OWN_OPTIONS> &
  Values<typeof KUBE_OPTIONS>;
