import { alembicDatabase } from './common.ts';
import type { Service } from './service.ts';

/** Recovery of instances; one step. */
export const masakari: Service = {
  name: 'masakari',
  summary: 'Instance recovery',
  configFile: '/etc/masakari/masakari.conf',
  user: 'masakari',
  databases: [alembicDatabase('masakari')],
  migration: { phases: { all: [{ argv: ['masakari-manage', 'db', 'sync'] }] } },
};
