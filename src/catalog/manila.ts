import { alembicDatabase, catalogued, queue, serviceAccount, upgradeCheck } from './common.ts';
import { api, worker } from './probe.ts';
import type { KollaService } from './service.ts';

/** Shared file systems; one step. */
export const manila: KollaService = {
  name: 'manila',
  summary: 'Shared file systems',
  configFile: '/etc/manila/manila.conf',
  user: 'manila',
  stage: 'none',
  databases: [alembicDatabase('manila', 'manila/db/migrations/alembic/versions')],
  migration: {
    phases: { all: [{ argv: ['manila-manage', 'db', 'sync'] }] },
    upgradeCheck: upgradeCheck('manila', { readsDatabase: false }),
  },
  identity: {
    users: [serviceAccount('manila')],
    services: [
      catalogued('manila', 'share', 'Shared file systems, for older clients', 8786, '/v1/%(project_id)s'),
      catalogued('manilav2', 'sharev2', 'Shared file systems', 8786, '/v2'),
    ],
  },
  queue: queue('manila'),
  probes: [
    api('manila_api', 8786, '/healthcheck'),
    worker('manila_scheduler', 'manila-scheduler'),
    worker('manila_share', 'manila-share'),
    worker('manila_data', 'manila-data'),
  ],
};
