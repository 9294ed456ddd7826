import type { Option } from '../../cli/option.ts';

/** Which files are read, and from where. */
export const READ_OPTIONS = [
  {
    flag: 'exclude',
    type: 'string',
    repeat: true,
    env: 'KOLLA_LOG_SHIP_EXCLUDE',
    help: 'leaves out files that match: of names without a slash, else of paths below --root',
    example: '*-access.log',
  },
  {
    flag: 'from',
    type: 'choice',
    values: ['beginning', 'end'],
    env: 'KOLLA_LOG_SHIP_FROM',
    default: 'beginning',
    help: 'at the very first start: end leaves out what lies there already',
    example: 'end',
  },
] as const satisfies readonly Option[];
