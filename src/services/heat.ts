import { alembicDatabase } from './common.ts';
import type { Service } from './service.ts';

/** Its domain and its domain's admin are made by bootstrap, not by its migration. */
export const heat: Service = {
  name: 'heat',
  summary: 'Orchestration',
  configFile: '/etc/heat/heat.conf',
  user: 'heat',
  databases: [alembicDatabase('heat')],
  migration: { phases: { all: [{ argv: ['heat-manage', 'db_sync'] }] } },
};
