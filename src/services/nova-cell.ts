import { alembicDatabase, ONLINE, QUEUE } from './common.ts';
import type { Service } from './service.ts';

/** Compute, one cell: run where nova.conf names that cell's database, as the conductor's does. */
export const novaCell: Service = {
  name: 'nova-cell',
  summary: 'Compute: one cell',
  configFile: '/etc/nova/nova.conf',
  user: 'nova',
  databases: [alembicDatabase('nova')],
  migration: {
    phases: {
      all: [
        { argv: ['nova-manage', 'db', 'sync', '--local_cell'] },
        { argv: ['nova-manage', 'db', 'online_data_migrations'], ...ONLINE },
      ],
      expand: [{ argv: ['nova-manage', 'db', 'sync', '--local_cell'] }],
      online: [{ argv: ['nova-manage', 'db', 'online_data_migrations'], ...ONLINE }],
    },
  },
  queue: QUEUE,
  notes: 'Once in each cell, after nova.',
};
