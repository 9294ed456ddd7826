import { alembicDatabase, upgradeCheck } from './common.ts';
import { listener, worker } from './probe.ts';
import type { KollaService } from './service.ts';

/** Reservation of resources; one step. */
export const blazar: KollaService = {
  name: 'blazar',
  summary: 'Reservations',
  configFile: '/etc/blazar/blazar.conf',
  user: 'blazar',
  stage: 'none',
  databases: [alembicDatabase('blazar', 'blazar/db/migration/alembic_migrations/versions')],
  migration: {
    phases: { all: [{ argv: ['blazar-db-manage', '--config-file', '/etc/blazar/blazar.conf', 'upgrade', 'head'] }] },
    upgradeCheck: upgradeCheck('blazar', { readsDatabase: false }),
  },
  probes: [
    { ...listener('blazar_api', 'blazar-api', 1234), notes: 'It returns 401 to requests without a token.' },
    worker('blazar_manager', 'blazar-manager'),
  ],
};
