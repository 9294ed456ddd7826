import { catalogued, ONLINE, serviceAccount, upgradeCheck } from './common.ts';
import { api } from './probe.ts';
import type { KollaService } from './service.ts';

/** Placement of resources. */
export const placement: KollaService = {
  name: 'placement',
  summary: 'Placement',
  configFile: '/etc/placement/placement.conf',
  user: 'placement',
  stage: 'placement',
  databases: [
    {
      name: 'placement',
      url: [{ section: 'placement_database', key: 'connection' }],
      versionTable: 'alembic_version',
      scripts: 'placement/db/sqlalchemy/alembic/versions',
    },
  ],
  migration: {
    phases: {
      all: [
        { argv: ['placement-manage', 'db', 'sync'] },
        { argv: ['placement-manage', 'db', 'online_data_migrations'], ...ONLINE },
      ],
      expand: [{ argv: ['placement-manage', 'db', 'sync'] }],
      online: [{ argv: ['placement-manage', 'db', 'online_data_migrations'], ...ONLINE }],
    },
    upgradeCheck: upgradeCheck('placement', { readsDatabase: true }),
  },
  identity: {
    users: [serviceAccount('placement')],
    services: [catalogued('placement', 'placement', 'Placement', 8780)],
  },
  probes: [api('placement_api', 8780)],
  notes: 'Migrate before nova.',
};
