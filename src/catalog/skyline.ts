import { api } from './probe.ts';
import type { KollaService } from './service.ts';

/** Dashboard. Alembic reads alembic.ini in its working directory. */
export const skyline: KollaService = {
  name: 'skyline',
  summary: 'Dashboard (Skyline)',
  configFile: '/etc/skyline/skyline.yaml',
  user: 'skyline',
  stage: 'none',
  databases: [
    {
      name: 'skyline',
      url: [{ section: 'default', key: 'database_url' }],
      versionTable: 'alembic_version',
      scripts: 'skyline_apiserver/db/alembic/versions',
    },
  ],
  migration: {
    phases: {
      all: [
        {
          argv: ['alembic', 'upgrade', 'head'],
          directory: '/var/lib/kolla/venv/lib/python3/site-packages/skyline_apiserver/db/alembic',
        },
      ],
    },
  },
  probes: [api('skyline_apiserver', 9998, '/docs'), api('skyline_console', 9999, '/docs')],
};
