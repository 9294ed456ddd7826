import { api } from './probe.ts';
import type { KollaService } from './service.ts';

const VENV = '/var/lib/kolla/venv';
const LOCAL = `${VENV}/lib/python3/site-packages/openstack_dashboard/local/local_settings.py`;

/**
 * Dashboard. Its settings are a Python program, so the database URL cannot be read from them. Without the link to them
 * created by Kolla's script, Django would silently migrate a SQLite file.
 */
export const horizon: KollaService = {
  name: 'horizon',
  summary: 'Dashboard (Horizon)',
  user: 'horizon',
  stage: 'dashboard',
  databases: [{ name: 'horizon', url: [] }],
  migration: {
    phases: {
      all: [
        {
          argv: ['test', '-f', LOCAL],
          codes: { 1: `no settings: link ${LOCAL} to /etc/openstack-dashboard/local_settings` },
        },
        { argv: [`${VENV}/bin/python`, `${VENV}/bin/manage.py`, 'migrate', '--noinput'] },
      ],
    },
  },
  // Users log in with their own accounts.
  identity: {},
  probes: [api('horizon', 8080)],
  notes: 'Needed only if sessions are stored in the database.',
};
