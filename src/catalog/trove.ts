import { alembicDatabase, upgradeCheck } from './common.ts';
import { api, worker } from './probe.ts';
import type { KollaService } from './service.ts';

/** Databases as a service; one step. */
export const trove: KollaService = {
  name: 'trove',
  summary: 'Databases',
  configFile: '/etc/trove/trove.conf',
  user: 'trove',
  stage: 'none',
  databases: [alembicDatabase('trove', 'trove/db/sqlalchemy/migrations/versions')],
  migration: {
    phases: {
      all: [
        {
          argv: ['trove-manage', 'db_sync'],
          afterwards: {
            what: 'the tags of existing instances in Nova',
            begins: '^Running required upgrade tasks',
            fails: '^Error occurred while setting nova tags',
            later:
              'run `trove-manage set_nova_tags --force true` when Nova responds and has the servers of all instances',
          },
        },
      ],
    },
    upgradeCheck: upgradeCheck('trove', { readsDatabase: true }),
  },
  probes: [
    api('trove_api', 8779, '/healthcheck'),
    worker('trove_conductor', 'trove-conductor'),
    worker('trove_taskmanager', 'trove-taskmanager'),
  ],
  notes:
    'From 2026.2, `trove-manage db_sync` also tags the Nova servers of existing instances. If Nova refuses all tags it exits ' +
    'with 0, and with 1 for ever once the server of the first instance is gone: kolla-db-sync reports both as a warning, because ' +
    'the schema is complete.',
};
