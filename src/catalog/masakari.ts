import { OSLO_DB, TASKFLOW, upgradeCheck } from './common.ts';
import { api } from './probe.ts';
import type { KollaService } from './service.ts';

/**
 * Recovery of instances; one step, which fails without the database for TaskFlow's progress. Kolla Ansible sets both to
 * the same URL, so their version tables have different names.
 */
export const masakari: KollaService = {
  name: 'masakari',
  summary: 'Instance recovery',
  configFile: '/etc/masakari/masakari.conf',
  user: 'masakari',
  stage: 'none',
  databases: [
    {
      name: 'masakari',
      url: OSLO_DB,
      versionTable: 'masakari_alembic_version',
      scripts: 'masakari/db/sqlalchemy/migrations/versions',
    },
    {
      name: 'masakari_taskflow',
      url: [{ section: 'taskflow', key: 'connection' }],
      ...TASKFLOW,
    },
  ],
  migration: {
    phases: { all: [{ argv: ['masakari-manage', 'db', 'sync'] }] },
    upgradeCheck: upgradeCheck('masakari', { readsDatabase: false }),
  },
  probes: [api('masakari_api', 15_868, '/healthcheck')],
};
