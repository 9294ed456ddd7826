import { catalogued, queue, serviceAccount, upgradeCheck } from './common.ts';
import { api, listener, worker } from './probe.ts';
import type { KollaService } from './service.ts';

/** DNS. Its pools are updated by another command (`designate-manage pool update`). */
export const designate: KollaService = {
  name: 'designate',
  summary: 'DNS',
  configFile: '/etc/designate/designate.conf',
  user: 'designate',
  stage: 'none',
  databases: [
    {
      name: 'designate',
      url: [{ section: 'storage:sqlalchemy', key: 'connection' }],
      versionTable: 'alembic_version',
      scripts: 'designate/storage/sqlalchemy/alembic/versions',
    },
  ],
  migration: {
    phases: { all: [{ argv: ['designate-manage', 'database', 'sync'] }] },
    upgradeCheck: upgradeCheck('designate', { readsDatabase: true }),
  },
  identity: {
    users: [serviceAccount('designate')],
    services: [catalogued('designate', 'dns', 'DNS', 9001)],
  },
  queue: queue('designate'),
  probes: [
    api('designate_api', 9001, '/healthcheck'),
    listener('designate_backend_bind9', 'named', 53),
    worker('designate_central', 'designate-central'),
    worker('designate_mdns', 'designate-mdns'),
    worker('designate_producer', 'designate-producer'),
    worker('designate_worker', 'designate-worker'),
    worker('designate_sink', 'designate-sink'),
  ],
};
