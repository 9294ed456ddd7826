import { alembicDatabase, catalogued, QUEUE, serviceAccount } from './common.ts';
import type { Service } from './service.ts';

/** Networking. Without --subproject its tool migrates Neutron and every plugin that is installed. */
export const neutron: Service = {
  name: 'neutron',
  summary: 'Networking',
  configFile: '/etc/neutron/neutron.conf',
  user: 'neutron',
  databases: [alembicDatabase('neutron')],
  migration: {
    phases: {
      all: [{ argv: ['neutron-db-manage', 'upgrade', 'head'] }],
      expand: [{ argv: ['neutron-db-manage', 'upgrade', '--expand'] }],
      contract: [{ argv: ['neutron-db-manage', 'upgrade', '--contract'] }],
    },
  },
  identity: {
    users: [serviceAccount('neutron')],
    services: [catalogued('neutron', 'network', 'Networking', 9696)],
  },
  queue: QUEUE,
  notes:
    'Stop its servers before contract where `neutron-db-manage has_offline_migrations` ends with 1 (its own tree has no such step since Newton).',
};
