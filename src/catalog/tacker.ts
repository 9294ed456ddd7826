import { alembicDatabase, upgradeCheck } from './common.ts';
import { api, worker } from './probe.ts';
import type { KollaService } from './service.ts';

/** Orchestration of network functions; one step. */
export const tacker: KollaService = {
  name: 'tacker',
  summary: 'NFV orchestration',
  configFile: '/etc/tacker/tacker.conf',
  user: 'tacker',
  stage: 'none',
  databases: [alembicDatabase('tacker', 'tacker/db/migration/alembic_migrations/versions')],
  migration: {
    phases: { all: [{ argv: ['tacker-db-manage', '--config-file', '/etc/tacker/tacker.conf', 'upgrade', 'head'] }] },
    upgradeCheck: upgradeCheck('tacker', { readsDatabase: false }),
  },
  probes: [api('tacker_server', 9890), worker('tacker_conductor', 'tacker-conductor')],
};
