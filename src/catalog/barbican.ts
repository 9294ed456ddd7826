import { alembicDatabase, catalogued, queue, serviceAccount, upgradeCheck } from './common.ts';
import { api, worker } from './probe.ts';
import type { KollaService } from './service.ts';

/** Keys and secrets; one step. */
export const barbican: KollaService = {
  name: 'barbican',
  summary: 'Keys and secrets',
  configFile: '/etc/barbican/barbican.conf',
  user: 'barbican',
  stage: 'none',
  databases: [alembicDatabase('barbican', 'barbican/model/migration/alembic_migrations/versions')],
  migration: {
    phases: { all: [{ argv: ['barbican-db-manage', 'upgrade'] }] },
    upgradeCheck: upgradeCheck('barbican', { readsDatabase: false }),
  },
  identity: {
    roles: ['key-manager:service-admin', 'creator', 'observer', 'audit'],
    users: [serviceAccount('barbican')],
    services: [catalogued('barbican', 'key-manager', 'Keys and secrets', 9311)],
  },
  queue: { ...queue('barbican'), optional: true },
  probes: [
    api('barbican_api', 9311, '/healthcheck'),
    worker('barbican_keystone_listener', 'barbican-keystone-listener'),
    worker('barbican_worker', 'barbican-worker'),
  ],
};
