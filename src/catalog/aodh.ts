import { alembicDatabase, upgradeCheck } from './common.ts';
import { api, DATABASE_PORT, worker } from './probe.ts';
import type { KollaService } from './service.ts';

/** Alarming; one step. */
export const aodh: KollaService = {
  name: 'aodh',
  summary: 'Alarms',
  configFile: '/etc/aodh/aodh.conf',
  user: 'aodh',
  stage: 'none',
  databases: [alembicDatabase('aodh', 'aodh/storage/sqlalchemy/alembic/versions')],
  migration: {
    phases: { all: [{ argv: ['aodh-dbsync'] }] },
    upgradeCheck: upgradeCheck('aodh', { readsDatabase: false }),
  },
  probes: [
    api('aodh_api', 8042, '/healthcheck'),
    worker('aodh_evaluator', 'aodh-evaluator', DATABASE_PORT),
    worker('aodh_listener', 'aodh-listener'),
    worker('aodh_notifier', 'aodh-notifier'),
  ],
};
