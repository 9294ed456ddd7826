import { alembicDatabase, ONLINE } from './common.ts';
import type { Service } from './service.ts';

/** Block storage. Its schema only grows; data move online. */
export const cinder: Service = {
  name: 'cinder',
  summary: 'Block storage',
  configFile: '/etc/cinder/cinder.conf',
  user: 'cinder',
  databases: [alembicDatabase('cinder')],
  migration: {
    phases: {
      all: [{ argv: ['cinder-manage', 'db', 'sync'] }],
      expand: [{ argv: ['cinder-manage', 'db', 'sync'] }],
      online: [{ argv: ['cinder-manage', 'db', 'online_data_migrations'], ...ONLINE }],
    },
  },
  notes: 'With all services stopped, `cinder-manage db sync --bump-versions` saves the restart that RPC versions need.',
};
