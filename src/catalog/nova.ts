import { catalogued, CELL0, CELLS, ONLINE, OSLO_DB, queue, serviceAccount, upgradeCheck } from './common.ts';
import { api, worker } from './probe.ts';
import type { KollaService } from './service.ts';
import type { Step } from './tool.ts';

/** cell0 has no queue. */
const UPDATE_CELL0: Step = {
  argv: ['nova-manage', 'cell_v2', 'update_cell', '--cell_uuid', CELL0, '--transport-url', 'none:///'],
  codes: { 3: 'another cell has the same database: see `nova-manage cell_v2 list_cells`' },
};

/**
 * Compute, above the cells: the API's database and cell0's. Both schemas are only extended, so that N and N+1 share
 * them.
 */
export const nova: KollaService = {
  name: 'nova',
  summary: 'Compute: API and cell0',
  configFile: '/etc/nova/nova.conf',
  user: 'nova',
  stage: 'compute',
  databases: [
    {
      name: 'nova_api',
      url: [{ section: 'api_database', key: 'connection' }],
      versionTable: 'alembic_version',
      scripts: 'nova/db/api/migrations/versions',
    },
    { name: 'nova_cell0', url: OSLO_DB, versionTable: 'alembic_version', scripts: 'nova/db/main/migrations/versions' },
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
    upgradeCheck: upgradeCheck('nova', { readsDatabase: true }),
  },
  identity: {
    users: [serviceAccount('nova')],
    services: [catalogued('nova', 'compute', 'Compute', 8774, '/v2.1')],
  },
  queue: queue('nova'),
  tool: [
    {
      name: 'cell0',
      summary: "cell0's mapping, with the URL of [database] connection",
      steps: [
        // Nova expands this template from its configuration; without it, it would use cell1's URL with the suffix
        // _cell0.
        {
          argv: [
            'nova-manage',
            'cell_v2',
            'map_cell0',
            '--database_connection',
            '{scheme}://{username}:{password}@{hostname}:{port}/{path}?{query}',
          ],
        },
        UPDATE_CELL0,
      ],
      done: {
        listed: {
          ...CELLS,
          is: { uuid: CELL0 },
          sameUrl: 'database',
          holds: { database: { section: 'database', key: 'connection' } },
        },
        update: [UPDATE_CELL0],
      },
    },
  ],
  probes: [
    api('nova_api', 8774),
    api('nova_metadata', 8775),
    worker('nova_scheduler', 'nova-scheduler'),
    worker('nova_super_conductor', 'nova-conductor'),
  ],
  notes:
    'Order: schema of nova and of each cell, all conductors, API and scheduler, compute nodes; then restart conductors and ' +
    'API. Placement before them.',
};
