import { api } from './probe.ts';
import type { Service } from './service.ts';

const VENV = '/var/lib/kolla/venv';
const LOCAL = `${VENV}/lib/python3/site-packages/openstack_dashboard/local/local_settings.py`;

/**
 * Dashboard. Its settings are a Python program, so its URL can't be read from them. Without the link that Kolla's
 * script makes to them, Django would migrate a SQLite file of its own and say that all is well.
 */
export const horizon: Service = {
  name: 'horizon',
  summary: 'Dashboard (Horizon)',
  user: 'horizon',
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
  // Its users log in with accounts of their own.
  identity: {},
  probes: [api('horizon', 8080)],
  notes: 'Only where its sessions are kept in the database.',
};
