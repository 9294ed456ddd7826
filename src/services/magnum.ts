import { alembicDatabase } from './common.ts';
import type { Service } from './service.ts';

/** Container infrastructure management; one step. */
export const magnum: Service = {
  name: 'magnum',
  summary: 'Container clusters',
  configFile: '/etc/magnum/magnum.conf',
  user: 'magnum',
  databases: [alembicDatabase('magnum')],
  migration: { phases: { all: [{ argv: ['magnum-db-manage', 'upgrade'] }] } },
};
