import { outputOption } from '../../cli/output-option.ts';
import type { Option } from '../../cli/option.ts';
import { SINK_OPTIONS } from '../sink/options.ts';

export const SETUP_OPTIONS = [
  ...SINK_OPTIONS,
  {
    flag: 'schema',
    type: 'choice',
    values: ['kolla', 'ecs', 'raw'],
    env: 'KOLLA_LOG_SHIP_SCHEMA',
    default: 'kolla',
    help: 'whose field names are mapped',
    example: 'ecs',
  },
  {
    flag: 'keep',
    type: 'string',
    env: 'KOLLA_LOG_SHIP_KEEP',
    help: 'remove indices that are older than this; at least 1d',
    example: '14d',
  },
  {
    flag: 'shards',
    type: 'integer',
    env: 'KOLLA_LOG_SHIP_SHARDS',
    default: '1',
    help: 'primary shards of an index',
    example: '3',
  },
  {
    flag: 'replicas',
    type: 'integer',
    env: 'KOLLA_LOG_SHIP_REPLICAS',
    default: '1',
    help: 'copies of each shard; 0 for a server that is alone',
    example: '0',
  },
  {
    flag: 'priority',
    type: 'integer',
    env: 'KOLLA_LOG_SHIP_PRIORITY',
    default: '200',
    help: 'wins over templates for the same names with a lower one',
    example: '500',
  },
  {
    flag: 'force',
    type: 'boolean',
    env: 'KOLLA_LOG_SHIP_FORCE',
    help: 'replace a template or policy that somebody else made',
    example: 'true',
  },
  {
    flag: 'dry-run',
    type: 'boolean',
    env: 'KOLLA_LOG_SHIP_DRY_RUN',
    help: 'show what would change, and change nothing',
    example: 'true',
  },
  {
    flag: 'timeout',
    type: 'duration',
    env: 'KOLLA_LOG_SHIP_SETUP_TIMEOUT',
    default: '30s',
    help: 'how long all of it may take',
    example: '2m',
  },
  {
    flag: 'saved-objects',
    type: 'choice',
    values: ['kibana', 'dashboards'],
    env: 'KOLLA_LOG_SHIP_SAVED_OBJECTS',
    help: 'print these to import there, and ask no server',
    example: 'kibana',
  },
  outputOption('KOLLA_LOG_SHIP_SETUP_OUTPUT', 'text'),
] as const satisfies readonly Option[];
