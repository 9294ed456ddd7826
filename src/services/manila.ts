import { alembicDatabase, catalogued, QUEUE, serviceAccount } from './common.ts';
import type { Service } from './service.ts';

/** Shared file systems; one step. */
export const manila: Service = {
  name: 'manila',
  summary: 'Shared file systems',
  configFile: '/etc/manila/manila.conf',
  user: 'manila',
  databases: [alembicDatabase('manila')],
  migration: { phases: { all: [{ argv: ['manila-manage', 'db', 'sync'] }] } },
  identity: {
    users: [serviceAccount('manila')],
    services: [
      catalogued('manila', 'share', 'Shared file systems, for older clients', 8786, '/v1/%(project_id)s'),
      catalogued('manilav2', 'sharev2', 'Shared file systems', 8786, '/v2'),
    ],
  },
  queue: QUEUE,
};
