import { alembicDatabase } from './common.ts';
import { api } from './probe.ts';
import type { Service } from './service.ts';

/** Recovery of instances; one step. */
export const masakari: Service = {
  name: 'masakari',
  summary: 'Instance recovery',
  configFile: '/etc/masakari/masakari.conf',
  user: 'masakari',
  databases: [alembicDatabase('masakari')],
  migration: { phases: { all: [{ argv: ['masakari-manage', 'db', 'sync'] }] } },
  probes: [api('masakari_api', 15_868, '/healthcheck')],
};
