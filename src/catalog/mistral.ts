import { alembicDatabase } from './common.ts';
import { api, worker } from './probe.ts';
import type { KollaService } from './service.ts';

/** Workflows; the second step loads its standard actions. */
export const mistral: KollaService = {
  name: 'mistral',
  summary: 'Workflows',
  configFile: '/etc/mistral/mistral.conf',
  user: 'mistral',
  stage: 'none',
  databases: [alembicDatabase('mistral', 'mistral/db/sqlalchemy/migration/alembic_migrations/versions')],
  migration: {
    phases: {
      all: [
        { argv: ['mistral-db-manage', '--config-file', '/etc/mistral/mistral.conf', 'upgrade', 'head'] },
        { argv: ['mistral-db-manage', '--config-file', '/etc/mistral/mistral.conf', 'populate'] },
      ],
    },
  },
  probes: [
    api('mistral_api', 8989),
    worker('mistral_engine', 'mistral-server'),
    worker('mistral_event_engine', 'mistral-server'),
    worker('mistral_executor', 'mistral-server'),
  ],
};
