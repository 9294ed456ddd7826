import { upgradeCheck } from './common.ts';
import { idleWorker, worker } from './probe.ts';
import type { KollaService } from './service.ts';

/** Telemetry. It has no database: its tool creates resource types through Gnocchi's API. */
export const ceilometer: KollaService = {
  name: 'ceilometer',
  summary: 'Telemetry',
  configFile: '/etc/ceilometer/ceilometer.conf',
  user: 'ceilometer',
  stage: 'none',
  databases: [],
  migration: {
    phases: { all: [{ argv: ['ceilometer-upgrade'] }] },
    upgradeCheck: upgradeCheck('ceilometer', { readsDatabase: false }),
  },
  probes: [
    worker('ceilometer_notification', 'ceilometer-agent-notification'),
    // It connects with its first sample: never without resources to poll.
    idleWorker('ceilometer_central', 'ceilometer-polling', 19),
    idleWorker('ceilometer_compute', 'ceilometer-polling', 19),
    // The same program; kolla-ansible still checks its connection.
    idleWorker('ceilometer_ipmi', 'ceilometer-polling'),
  ],
  notes:
    "Pass the URL of a database for the lock, such as Gnocchi's with a separate account. While Gnocchi's API is " +
    'unreachable, `ceilometer-upgrade` retries forever.',
};
