import { api, DATABASE_PORT, worker } from './probe.ts';
import type { KollaService } from './service.ts';

/** Metrics. Its tool would log to the API's file, which the API's user rotates. */
export const gnocchi: KollaService = {
  name: 'gnocchi',
  summary: 'Metrics',
  configFile: '/etc/gnocchi/gnocchi.conf',
  user: 'gnocchi',
  stage: 'none',
  databases: [
    {
      name: 'gnocchi',
      url: [{ section: 'indexer', key: 'url' }],
      versionTable: 'alembic_version',
      scripts: 'gnocchi/indexer/alembic/versions',
    },
  ],
  migration: {
    phases: { all: [{ argv: ['gnocchi-upgrade', '--log-file', '/var/log/kolla/gnocchi/gnocchi-upgrade.log'] }] },
  },
  probes: [
    api('gnocchi_api', 8041, '/healthcheck'),
    worker('gnocchi_metricd', 'gnocchi-metricd', DATABASE_PORT),
    worker('gnocchi_statsd', 'gnocchi-statsd', DATABASE_PORT),
  ],
};
