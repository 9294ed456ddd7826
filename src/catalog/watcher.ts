import { alembicDatabase, upgradeCheck } from './common.ts';
import { api, worker } from './probe.ts';
import type { KollaService } from './service.ts';

/** Infrastructure optimization; one step. */
export const watcher: KollaService = {
  name: 'watcher',
  summary: 'Optimization',
  configFile: '/etc/watcher/watcher.conf',
  user: 'watcher',
  stage: 'none',
  databases: [alembicDatabase('watcher', 'watcher/db/sqlalchemy/alembic/versions')],
  migration: {
    phases: { all: [{ argv: ['watcher-db-manage', '--config-file', '/etc/watcher/watcher.conf', 'upgrade'] }] },
    upgradeCheck: upgradeCheck('watcher', { readsDatabase: false }),
  },
  probes: [
    api('watcher_api', 9322),
    worker('watcher_applier', 'watcher-applier'),
    worker('watcher_engine', 'watcher-decision-engine'),
  ],
};
