import { alembicDatabase, catalogued, queue, serviceAccount, upgradeCheck } from './common.ts';
import { api, worker } from './probe.ts';
import type { KollaService } from './service.ts';

/** Orchestration. Users created for its stacks are in a separate domain, whose admin is another account of Heat. */
export const heat: KollaService = {
  name: 'heat',
  summary: 'Orchestration',
  configFile: '/etc/heat/heat.conf',
  user: 'heat',
  stage: 'orchestration',
  databases: [alembicDatabase('heat', 'heat/db/migrations/versions')],
  migration: {
    phases: { all: [{ argv: ['heat-manage', 'db_sync'] }] },
    upgradeCheck: upgradeCheck('heat', { readsDatabase: false }),
  },
  identity: {
    domains: ['heat_user_domain'],
    roles: ['heat_stack_owner', 'heat_stack_user'],
    users: [
      serviceAccount('heat'),
      {
        name: 'heat_domain_admin',
        domain: 'heat_user_domain',
        grants: [{ role: 'admin', domain: 'heat_user_domain' }],
        places: {
          name: { section: 'DEFAULT', key: 'stack_domain_admin' },
          password: { section: 'DEFAULT', key: 'stack_domain_admin_password' },
          domain: { section: 'DEFAULT', key: 'stack_user_domain_name' },
        },
      },
    ],
    services: [
      catalogued('heat', 'orchestration', 'Orchestration', 8004, '/v1/%(project_id)s'),
      catalogued('heat-cfn', 'cloudformation', "Orchestration, as CloudFormation's API", 8000, '/v1'),
    ],
  },
  queue: queue('heat'),
  probes: [
    api('heat_api', 8004, '/healthcheck'),
    api('heat_api_cfn', 8000, '/healthcheck'),
    worker('heat_engine', 'heat-engine'),
  ],
};
