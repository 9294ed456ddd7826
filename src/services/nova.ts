import { catalogued, ONLINE, OSLO_DB, QUEUE, serviceAccount } from './common.ts';
import type { Service } from './service.ts';

/** Compute, above the cells: the API's database and cell0's. Both schemas only grow, so that N and N+1 share them. */
export const nova: Service = {
  name: 'nova',
  summary: 'Compute: API and cell0',
  configFile: '/etc/nova/nova.conf',
  user: 'nova',
  databases: [
    { name: 'nova_api', url: [{ section: 'api_database', key: 'connection' }], versionTable: 'alembic_version' },
    { name: 'nova_cell0', url: OSLO_DB, versionTable: 'alembic_version' },
  ],
  migration: {
    phases: {
      all: [
        { argv: ['nova-manage', 'api_db', 'sync'] },
        { argv: ['nova-manage', 'db', 'sync', '--local_cell'] },
        { argv: ['nova-manage', 'db', 'online_data_migrations'], ...ONLINE },
      ],
      expand: [{ argv: ['nova-manage', 'api_db', 'sync'] }, { argv: ['nova-manage', 'db', 'sync', '--local_cell'] }],
      online: [{ argv: ['nova-manage', 'db', 'online_data_migrations'], ...ONLINE }],
    },
  },
  identity: {
    users: [serviceAccount('nova')],
    services: [catalogued('nova', 'compute', 'Compute', 8774, '/v2.1')],
  },
  queue: QUEUE,
  notes:
    'Placement first; then nova, then nova-cell in each cell. Run `nova-status upgrade check` before. Cells are mapped by bootstrap.',
};
