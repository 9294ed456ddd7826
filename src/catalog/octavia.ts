import { alembicDatabase, catalogued, queue, serviceAccount, TASKFLOW, upgradeCheck } from './common.ts';
import { api, DATABASE_PORT, worker } from './probe.ts';
import type { KollaService } from './service.ts';

/** Load balancing. The second database is for TaskFlow's persistence, which the jobboard needs. */
export const octavia: KollaService = {
  name: 'octavia',
  summary: 'Load balancing',
  configFile: '/etc/octavia/octavia.conf',
  user: 'octavia',
  stage: 'none',
  databases: [
    alembicDatabase('octavia', 'octavia/db/migration/alembic_migrations/versions'),
    {
      name: 'octavia_persistence',
      url: [{ section: 'task_flow', key: 'persistence_connection' }],
      optional: true,
      ...TASKFLOW,
    },
  ],
  migration: {
    phases: {
      all: [{ argv: ['octavia-db-manage', 'upgrade', 'head'] }, { argv: ['octavia-db-manage', 'upgrade_persistence'] }],
    },
    upgradeCheck: {
      ...upgradeCheck('octavia', { readsDatabase: true }),
      moot: {
        check: 'AmphoraV2 Check',
        unless: { section: 'task_flow', key: 'jobboard_enabled' },
        environment: { OS_TASK_FLOW__PERSISTENCE_CONNECTION: 'sqlite://' },
      },
    },
  },
  identity: {
    roles: ['observer', 'global_observer', 'member', 'quota_admin', 'admin'].map((role) => `load-balancer_${role}`),
    users: [serviceAccount('octavia')],
    services: [catalogued('octavia', 'load-balancer', 'Load balancing', 9876)],
  },
  queue: queue('octavia'),
  probes: [
    api('octavia_api', 9876),
    worker('octavia_health_manager', 'octavia-health-manager', DATABASE_PORT),
    worker('octavia_housekeeping', 'octavia-housekeeping', DATABASE_PORT),
    worker('octavia_worker', 'octavia-worker'),
  ],
};
