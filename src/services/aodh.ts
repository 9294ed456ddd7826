import { alembicDatabase } from './common.ts';
import type { Service } from './service.ts';

/** Alarming; one step. */
export const aodh: Service = {
  name: 'aodh',
  summary: 'Alarms',
  configFile: '/etc/aodh/aodh.conf',
  user: 'aodh',
  databases: [alembicDatabase('aodh')],
  migration: { phases: { all: [{ argv: ['aodh-dbsync'] }] } },
};
