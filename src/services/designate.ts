import { catalogued, QUEUE, serviceAccount } from './common.ts';
import type { Service } from './service.ts';

/** DNS. Its pools are another command's (`designate-manage pool update`). */
export const designate: Service = {
  name: 'designate',
  summary: 'DNS',
  configFile: '/etc/designate/designate.conf',
  user: 'designate',
  databases: [
    {
      name: 'designate',
      url: [{ section: 'storage:sqlalchemy', key: 'connection' }],
      versionTable: 'alembic_version',
    },
  ],
  migration: { phases: { all: [{ argv: ['designate-manage', 'database', 'sync'] }] } },
  identity: {
    users: [serviceAccount('designate')],
    services: [catalogued('designate', 'dns', 'DNS', 9001)],
  },
  queue: QUEUE,
};
