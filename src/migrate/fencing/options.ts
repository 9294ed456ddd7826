import type { Option } from '../../cli/option.ts';

/** How a migration's sessions are told from the live service's. */
export const FENCING_OPTIONS = [
  {
    flag: 'migrate-as',
    type: 'choice',
    values: ['own', 'service'],
    env: 'KOLLA_DB_SYNC_MIGRATE_AS',
    default: 'own',
    help: 'account that runs the command, with --admin-user',
    details: "own: an account made for this migration and dropped at its end, where the service's tool can be told.",
    example: 'service',
  },
  {
    flag: 'predecessor-ended',
    type: 'integer',
    env: 'KOLLA_DB_SYNC_PREDECESSOR_ENDED',
    help: 'fencing token of an interrupted migration without open sessions',
    details: 'Given by an operator who has made sure that none of its sessions is left on any node.',
    example: '7',
  },
] as const satisfies readonly Option[];
