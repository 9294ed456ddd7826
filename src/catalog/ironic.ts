import { alembicDatabase, catalogued, queue, serviceAccount, upgradeCheck } from './common.ts';
import { api, listener, worker } from './probe.ts';
import type { KollaService } from './service.ts';
import type { Step } from './tool.ts';

/** Both commands compare the objects in the database with the release first. */
const CODES = {
  2: 'objects of an older release: run `ironic-dbsync online_data_migrations` of the previous release first',
};
const UPGRADE: Step = { argv: ['ironic-dbsync', 'upgrade'], codes: CODES };
/** Runs all batches. It would exit with 1 for "call again" only with --max-count; here 1 is an unhandled error. */
const ONLINE: Step = { argv: ['ironic-dbsync', 'online_data_migrations'], codes: CODES };

/** Bare metal. */
export const ironic: KollaService = {
  name: 'ironic',
  summary: 'Bare metal',
  configFile: '/etc/ironic/ironic.conf',
  user: 'ironic',
  stage: 'none',
  databases: [alembicDatabase('ironic', 'ironic/db/sqlalchemy/alembic/versions')],
  migration: {
    phases: {
      all: [UPGRADE, ONLINE],
      expand: [UPGRADE],
      online: [ONLINE],
    },
    upgradeCheck: {
      ...upgradeCheck('ironic', { readsDatabase: true }),
      needs: ['ipmitool'],
      scratch: [{ section: 'deploy', key: 'http_root' }],
    },
  },
  identity: {
    users: [
      {
        ...serviceAccount('ironic'),
        grants: [...serviceAccount('ironic').grants, { role: 'service', system: 'all' }],
      },
    ],
    services: [catalogued('ironic', 'baremetal', 'Bare metal', 6385)],
  },
  queue: { ...queue('ironic'), optional: true },
  probes: [
    api('ironic_api', 6385),
    worker('ironic_conductor', 'ironic-conductor'),
    { ...listener('ironic_http', 'apache2', 8089), notes: 'httpd in images based on Rocky Linux.' },
  ],
  notes: 'Its upgrade check loads the drivers, which need ipmitool: run it in the image of ironic_conductor.',
};
