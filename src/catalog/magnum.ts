import { alembicDatabase, catalogued, queue, serviceAccount, upgradeCheck } from './common.ts';
import { api, worker } from './probe.ts';
import type { KollaService } from './service.ts';

/** Container infrastructure management; one step. */
export const magnum: KollaService = {
  name: 'magnum',
  summary: 'Container clusters',
  configFile: '/etc/magnum/magnum.conf',
  user: 'magnum',
  stage: 'none',
  databases: [alembicDatabase('magnum', 'magnum/db/sqlalchemy/alembic/versions')],
  migration: {
    phases: { all: [{ argv: ['magnum-db-manage', 'upgrade'] }] },
    upgradeCheck: upgradeCheck('magnum', { readsDatabase: false }),
  },
  identity: {
    domains: ['magnum'],
    users: [
      serviceAccount('magnum'),
      {
        name: 'magnum_trustee_domain_admin',
        domain: 'magnum',
        grants: [{ role: 'admin', domain: 'magnum' }],
        places: {
          name: { section: 'trust', key: 'trustee_domain_admin_name' },
          password: { section: 'trust', key: 'trustee_domain_admin_password' },
          domain: { section: 'trust', key: 'trustee_domain_name' },
        },
      },
    ],
    services: [catalogued('magnum', 'container-infra', 'Clusters of containers', 9511, '/v1')],
  },
  queue: queue('magnum'),
  probes: [api('magnum_api', 9511, '/healthcheck'), worker('magnum_conductor', 'magnum-conductor')],
};
