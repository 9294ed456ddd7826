import { alembicDatabase, upgradeCheck } from './common.ts';
import { api, worker } from './probe.ts';
import type { Service } from './service.ts';

/** Accelerators; one step. */
export const cyborg: Service = {
  name: 'cyborg',
  summary: 'Accelerators',
  configFile: '/etc/cyborg/cyborg.conf',
  user: 'cyborg',
  databases: [alembicDatabase('cyborg')],
  migration: { phases: { all: [{ argv: ['cyborg-dbsync', 'upgrade'] }] }, upgradeCheck: upgradeCheck('cyborg') },
  probes: [
    api('cyborg_api', 6666),
    worker('cyborg_agent', 'cyborg-agent'),
    worker('cyborg_conductor', 'cyborg-conductor'),
  ],
  notes:
    'After an update to 14.1.0, 15.0.1, 16.0.1 or later, run `cyborg-dbsync online_data_migrations` once, with ' +
    "Nova's API running: it sets the project of existing accelerator requests.",
};
