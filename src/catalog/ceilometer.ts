import { upgradeCheck } from './common.ts';
import { worker } from './probe.ts';
import type { Service } from './service.ts';

/** Telemetry. It has no database: its tool creates resource types through Gnocchi's API. */
export const ceilometer: Service = {
  name: 'ceilometer',
  summary: 'Telemetry',
  configFile: '/etc/ceilometer/ceilometer.conf',
  user: 'ceilometer',
  databases: [],
  migration: { phases: { all: [{ argv: ['ceilometer-upgrade'] }] }, upgradeCheck: upgradeCheck('ceilometer') },
  probes: [
    worker('ceilometer_notification', 'ceilometer-agent-notification'),
    worker('ceilometer_central', 'ceilometer-polling'),
    worker('ceilometer_compute', 'ceilometer-polling'),
    worker('ceilometer_ipmi', 'ceilometer-polling'),
  ],
  notes:
    "Pass the URL of a database for the lock, such as Gnocchi's with a separate account. While Gnocchi's API is " +
    'unreachable, `ceilometer-upgrade` retries forever.',
};
