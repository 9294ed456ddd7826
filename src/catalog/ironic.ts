import { alembicDatabase, catalogued, ONLINE, QUEUE, serviceAccount } from './common.ts';
import { api, listener, worker } from './probe.ts';
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
  identity: {
    users: [
      {
        ...serviceAccount('ironic'),
        grants: [...serviceAccount('ironic').grants, { role: 'service', system: 'all' }],
      },
    ],
    services: [catalogued('ironic', 'baremetal', 'Bare metal', 6385)],
  },
  queue: { ...QUEUE, optional: true },
  probes: [
    api('ironic_api', 6385),
    worker('ironic_conductor', 'ironic-conductor'),
    { ...listener('ironic_http', 'apache2', 8089), notes: 'httpd in images based on Rocky Linux.' },
  ],
  notes: 'Run `ironic-status upgrade check` first.',
};
