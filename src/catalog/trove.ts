import { alembicDatabase, upgradeCheck } from './common.ts';
import { api, worker } from './probe.ts';
import type { Service } from './service.ts';

/** Databases as a service; one step. */
export const trove: Service = {
  name: 'trove',
  summary: 'Databases',
  configFile: '/etc/trove/trove.conf',
  user: 'trove',
  databases: [alembicDatabase('trove')],
  migration: { phases: { all: [{ argv: ['trove-manage', 'db_sync'] }] }, upgradeCheck: upgradeCheck('trove') },
  probes: [
    api('trove_api', 8779, '/healthcheck'),
    worker('trove_conductor', 'trove-conductor'),
    worker('trove_taskmanager', 'trove-taskmanager'),
  ],
  notes:
    'From 2026.2, `trove-manage db_sync` also tags the Nova servers of existing instances: without the APIs of ' +
    'Keystone and Nova it exits with 1.',
};
