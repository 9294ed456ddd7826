import type { Option } from '../../cli/option.ts';

/** How a migration's sessions are told from the live service's. */
export const FENCING_OPTIONS = [
  {
    flag: 'migrate-as',
    type: 'choice',
    values: ['own', 'service'],
    env: 'KOLLA_DB_SYNC_MIGRATE_AS',
    default: 'own',
    help: "with --admin-user: the account of the command; own is made for it and dropped at the end, where the service's tool can be told",
    example: 'service',
  },
  {
    flag: 'predecessor-ended',
    type: 'integer',
    env: 'KOLLA_DB_SYNC_PREDECESSOR_ENDED',
    help: 'token of a migration that was cut off: you have made sure that none of its sessions is left on any node',
    example: '7',
  },
] as const satisfies readonly Option[];
