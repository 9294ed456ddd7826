import { alembicDatabase, catalogued, notifications, serviceAccount, upgradeCheck } from './common.ts';
import { api } from './probe.ts';
import type { KollaService } from './service.ts';

/** Images. Its check covers the schema only: our record covers the metadata definitions. */
export const glance: KollaService = {
  name: 'glance',
  summary: 'Images',
  configFile: '/etc/glance/glance-api.conf',
  user: 'glance',
  stage: 'image',
  databases: [alembicDatabase('glance', 'glance/db/sqlalchemy/alembic_migrations/versions')],
  migration: {
    phases: {
      all: [{ argv: ['glance-manage', 'db_sync'] }, { argv: ['glance-manage', 'db_load_metadefs'] }],
      expand: [{ argv: ['glance-manage', 'db', 'expand'] }],
      migrate: [{ argv: ['glance-manage', 'db', 'migrate'] }],
      contract: [{ argv: ['glance-manage', 'db', 'contract'] }],
    },
    check: {
      argv: ['glance-manage', 'db', 'check'],
      codes: { 0: 'complete', 1: 'error', 3: 'expand', 4: 'migrate', 5: 'contract' },
    },
    upgradeCheck: {
      ...upgradeCheck('glance', { readsDatabase: false, files: ['/etc/glance/glance-api.conf'] }),
      // glance-status of 2026.2 registers no options of stores.
      broken: 'no such option enabled_backends',
    },
  },
  identity: {
    users: [serviceAccount('glance')],
    services: [catalogued('glance', 'image', 'Images', 9292)],
  },
  queue: notifications('glance'),
  tool: [
    {
      name: 'metadefs',
      summary: 'the metadata definitions of the release',
      steps: [{ argv: ['glance-manage', 'db_load_metadefs'] }],
      // The command exits with 0 even if it finds no definitions or cannot read them.
      done: { once: 'release', fills: 'metadef_namespaces' },
    },
  ],
  probes: [
    api('glance_api', 9292, '/healthcheck'),
    {
      container: 'glance_tls_proxy',
      declared: 'healthcheck_curl -u openstack:PASSWORD ADDRESS:PORT/healthcheck',
      liveness: 'tcp 127.0.0.1:9292',
      readiness: 'tls 127.0.0.1:9292 --tls require',
      notes: "Kolla requests HAProxy's statistics page, with a password on its command line.",
    },
  ],
  notes: 'Its triggers need log_bin_trust_function_creators=1 if the server writes a binary log.',
};
