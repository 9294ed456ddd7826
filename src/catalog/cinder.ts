import { alembicDatabase, catalogued, ONLINE, queue, serviceAccount, upgradeCheck } from './common.ts';
import { api, worker } from './probe.ts';
import type { KollaService } from './service.ts';

/** Block storage. Its schema is only extended; data migrate online. */
export const cinder: KollaService = {
  name: 'cinder',
  summary: 'Block storage',
  configFile: '/etc/cinder/cinder.conf',
  user: 'cinder',
  stage: 'volume',
  databases: [alembicDatabase('cinder', 'cinder/db/migrations/versions')],
  migration: {
    phases: {
      all: [
        { argv: ['cinder-manage', 'db', 'sync'] },
        { argv: ['cinder-manage', 'db', 'online_data_migrations'], ...ONLINE },
      ],
      expand: [{ argv: ['cinder-manage', 'db', 'sync'] }],
      online: [{ argv: ['cinder-manage', 'db', 'online_data_migrations'], ...ONLINE }],
    },
    upgradeCheck: upgradeCheck('cinder', { readsDatabase: true }),
  },
  identity: {
    users: [serviceAccount('cinder')],
    services: [
      catalogued('cinder', 'block-storage', 'Block storage', 8776, '/v3'),
      catalogued('cinderv3', 'volumev3', 'Block storage, for older clients', 8776, '/v3/%(project_id)s'),
    ],
  },
  queue: queue('cinder'),
  probes: [
    api('cinder_api', 8776, '/healthcheck'),
    worker('cinder_scheduler', 'cinder-scheduler'),
    worker('cinder_volume', 'cinder-volume'),
    worker('cinder_backup', 'cinder-backup'),
  ],
  notes:
    'With all services stopped, `cinder-manage db sync --bump-versions` saves the restart needed for new ' +
    'RPC versions.',
};
