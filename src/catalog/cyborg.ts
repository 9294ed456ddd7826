import { alembicDatabase, upgradeCheck } from './common.ts';
import { api, worker } from './probe.ts';
import type { KollaService } from './service.ts';
import type { Step } from './tool.ts';

const UPGRADE: Step = { argv: ['cyborg-dbsync', 'upgrade'] };
/** Runs all batches. It logs in to Nova's API even if there is nothing to do. */
const ONLINE: Step = {
  argv: ['cyborg-dbsync', 'online_data_migrations'],
  codes: {
    2: 'not all data was migrated: it needs the API of Nova, and the login in [nova], even with nothing to do; before 14.1.0 it does not exist',
  },
};

/** Accelerators. */
export const cyborg: KollaService = {
  name: 'cyborg',
  summary: 'Accelerators',
  configFile: '/etc/cyborg/cyborg.conf',
  user: 'cyborg',
  stage: 'none',
  databases: [alembicDatabase('cyborg', 'cyborg/db/sqlalchemy/alembic/versions')],
  migration: {
    phases: { all: [UPGRADE], expand: [UPGRADE], online: [ONLINE] },
    upgradeCheck: {
      ...upgradeCheck('cyborg', { readsDatabase: true }),
      broken: 'Unable to query device_state column',
      brokenBecause:
        'says nothing before the migration, as it reads a column that 2026.2 adds (or the database did not respond): ' +
        'run it again afterwards',
    },
  },
  probes: [
    api('cyborg_api', 6666),
    worker('cyborg_agent', 'cyborg-agent'),
    worker('cyborg_conductor', 'cyborg-conductor'),
  ],
  notes:
    'The online phase sets the project of existing accelerator requests (from 14.1.0, 15.0.1 and 16.0.1 on) and, from 2026.2 on, ' +
    'the state of devices. It needs the login in `[nova]`, so the full migration leaves it out: run it with `--phase online`. Before ' +
    '14.1.0, 15.0.1 and 16.0.1 its command does not exist.',
};
