import { alembicDatabase, catalogued, notifications, upgradeCheck } from './common.ts';
import { api, listener } from './probe.ts';
import type { KollaService } from './service.ts';

/** Identity. Its migrate step has been empty since Yoga (data moves happen in expand), but still exists. */
export const keystone: KollaService = {
  name: 'keystone',
  summary: 'Identity',
  configFile: '/etc/keystone/keystone.conf',
  user: 'keystone',
  stage: 'identity',
  databases: [alembicDatabase('keystone', 'keystone/common/sql/migrations/versions')],
  migration: {
    phases: {
      all: [{ argv: ['keystone-manage', 'db_sync'] }],
      expand: [{ argv: ['keystone-manage', 'db_sync', '--expand'] }],
      migrate: [{ argv: ['keystone-manage', 'db_sync', '--migrate'] }],
      contract: [{ argv: ['keystone-manage', 'db_sync', '--contract'] }],
    },
    check: {
      argv: ['keystone-manage', 'db_sync', '--check'],
      codes: { 0: 'complete', 1: 'error', 2: 'expand', 3: 'migrate', 4: 'contract' },
    },
    upgradeCheck: upgradeCheck('keystone', { readsDatabase: true }),
  },
  identity: {
    roles: ['service'],
    services: [catalogued('keystone', 'identity', 'Identity', 5000)],
  },
  queue: notifications('keystone'),
  keys: [
    {
      name: 'fernet',
      secret: 'keystone-fernet-keys',
      directory: '/etc/keystone/fernet-keys',
      directoryAt: { section: 'fernet_tokens', key: 'key_repository' },
      keep: { place: { section: 'fernet_tokens', key: 'max_active_keys' }, usual: 3 },
      lifetime: [
        { place: { section: 'token', key: 'expiration' }, usual: 3600 },
        { place: { section: 'token', key: 'allow_expired_window' }, usual: 172_800 },
      ],
    },
    {
      name: 'credential',
      secret: 'keystone-credential-keys',
      directory: '/etc/keystone/credential-keys',
      directoryAt: { section: 'credential', key: 'key_repository' },
      keep: { usual: 3 },
      reencrypt: [
        'keystone-manage',
        '--config-file',
        '{config}',
        '--config-file',
        '{overlay}',
        'credential_migrate',
        // Required if the tool runs as root, and ignored otherwise.
        '--keystone-user',
        'keystone',
        '--keystone-group',
        'keystone',
      ],
    },
  ],
  tool: [
    {
      name: 'bootstrap',
      summary: 'the first admin, its project and roles, and the endpoints whose URLs are given',
      steps: [{ argv: ['keystone-manage', 'bootstrap'] }],
      variables: [
        { name: 'OS_BOOTSTRAP_PASSWORD', otherwise: ['OS_PASSWORD'], secret: true, required: true },
        { name: 'OS_BOOTSTRAP_USERNAME', otherwise: ['OS_USERNAME'], default: 'admin' },
        { name: 'OS_BOOTSTRAP_PROJECT_NAME', otherwise: ['OS_PROJECT_NAME'], default: 'admin' },
        { name: 'OS_BOOTSTRAP_ROLE_NAME', default: 'admin' },
        { name: 'OS_BOOTSTRAP_SERVICE_NAME', default: 'keystone' },
        { name: 'OS_BOOTSTRAP_REGION_ID', otherwise: ['OS_REGION_NAME'], default: 'RegionOne' },
        { name: 'OS_BOOTSTRAP_PUBLIC_URL', url: true },
        { name: 'OS_BOOTSTRAP_INTERNAL_URL', url: true },
        { name: 'OS_BOOTSTRAP_ADMIN_URL', url: true },
      ],
      throwawayKeys: ['OS_FERNET_TOKENS__KEY_REPOSITORY', 'OS_FERNET_RECEIPTS__KEY_REPOSITORY'],
      done: { once: 'release' },
    },
  ],
  probes: [
    api('keystone', 5000, '/healthcheck'),
    api('keystone_httpd', 5000),
    {
      container: 'keystone_fernet',
      declared: '/usr/bin/fernet-healthcheck.sh',
      liveness: 'process cron',
      readiness: 'command -- /usr/bin/fernet-healthcheck.sh',
      notes: 'Not needed if `kolla-bootstrap keys` keeps the keys in a Secret.',
    },
    listener('keystone_ssh', 'sshd', 8023),
  ],
  notes: 'Its triggers need log_bin_trust_function_creators=1 if the server writes a binary log.',
};
