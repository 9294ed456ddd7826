import { alembicDatabase } from './common.ts';
import type { Service } from './service.ts';

/** Databases as a service; one step. */
export const trove: Service = {
  name: 'trove',
  summary: 'Databases',
  configFile: '/etc/trove/trove.conf',
  user: 'trove',
  databases: [alembicDatabase('trove')],
  migration: { phases: { all: [{ argv: ['trove-manage', 'db_sync'] }] } },
};
