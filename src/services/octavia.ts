import { alembicDatabase, catalogued, QUEUE, serviceAccount } from './common.ts';
import type { Service } from './service.ts';

/** Load balancing. The second database is its job board's, where that is on. */
export const octavia: Service = {
  name: 'octavia',
  summary: 'Load balancing',
  configFile: '/etc/octavia/octavia.conf',
  user: 'octavia',
  databases: [
    alembicDatabase('octavia'),
    {
      name: 'octavia_persistence',
      url: [{ section: 'task_flow', key: 'persistence_connection' }],
      optional: true,
    },
  ],
  migration: {
    phases: {
      all: [{ argv: ['octavia-db-manage', 'upgrade', 'head'] }, { argv: ['octavia-db-manage', 'upgrade_persistence'] }],
    },
  },
  identity: {
    roles: ['observer', 'global_observer', 'member', 'quota_admin', 'admin'].map((role) => `load-balancer_${role}`),
    users: [serviceAccount('octavia')],
    services: [catalogued('octavia', 'load-balancer', 'Load balancing', 9876)],
  },
  queue: QUEUE,
};
