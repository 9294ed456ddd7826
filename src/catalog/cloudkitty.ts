import { OSLO_DB, upgradeCheck } from './common.ts';
import { api, worker } from './probe.ts';
import type { KollaService } from './service.ts';

/**
 * Rating. Each of its modules has a further version table; the second step prepares its storage backend, which may be
 * elsewhere.
 */
export const cloudkitty: KollaService = {
  name: 'cloudkitty',
  summary: 'Rating',
  configFile: '/etc/cloudkitty/cloudkitty.conf',
  user: 'cloudkitty',
  stage: 'none',
  databases: [
    {
      name: 'cloudkitty',
      url: OSLO_DB,
      versionTable: 'cloudkitty_alembic',
      scripts: 'cloudkitty/db/sqlalchemy/alembic/versions',
      parts: [
        { versionTable: 'hashmap_alembic', scripts: 'cloudkitty/rating/hash/db/sqlalchemy/alembic/versions' },
        { versionTable: 'pyscripts_alembic', scripts: 'cloudkitty/rating/pyscripts/db/sqlalchemy/alembic/versions' },
        { versionTable: 'storage_states_alembic', scripts: 'cloudkitty/storage_state/alembic/versions' },
      ],
    },
  ],
  migration: {
    phases: { all: [{ argv: ['cloudkitty-dbsync', 'upgrade'] }, { argv: ['cloudkitty-storage-init'] }] },
    upgradeCheck: upgradeCheck('cloudkitty', { readsDatabase: false }),
  },
  probes: [api('cloudkitty_api', 8889, '/healthcheck'), worker('cloudkitty_processor', 'cloudkitty-processor')],
  notes:
    'With the storage backend opensearch or elasticsearch, create the index first: without it, ' +
    '`cloudkitty-storage-init` exits with 1.',
};
