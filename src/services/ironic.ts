import { alembicDatabase, ONLINE } from './common.ts';
import type { Service } from './service.ts';

/** Bare metal. */
export const ironic: Service = {
  name: 'ironic',
  summary: 'Bare metal',
  configFile: '/etc/ironic/ironic.conf',
  user: 'ironic',
  databases: [alembicDatabase('ironic')],
  migration: {
    phases: {
      all: [{ argv: ['ironic-dbsync', 'upgrade'] }, { argv: ['ironic-dbsync', 'online_data_migrations'], ...ONLINE }],
      expand: [{ argv: ['ironic-dbsync', 'upgrade'] }],
      online: [{ argv: ['ironic-dbsync', 'online_data_migrations'], ...ONLINE }],
    },
  },
  notes: 'Run `ironic-status upgrade check` before.',
};
