import { alembicDatabase } from './common.ts';
import type { Service } from './service.ts';

/** Shared file systems; one step. */
export const manila: Service = {
  name: 'manila',
  summary: 'Shared file systems',
  configFile: '/etc/manila/manila.conf',
  user: 'manila',
  databases: [alembicDatabase('manila')],
  migration: { phases: { all: [{ argv: ['manila-manage', 'db', 'sync'] }] } },
};
