import type { Option, Values } from '../../cli/option.ts';
import { outputOption } from '../../cli/output-option.ts';
import { parseDuration } from '../../core/duration.ts';
import { messageOf, UsageError } from '../../core/errors.ts';
import { destinationsOf } from '../sink/destinations.ts';
import { SINK_OPTIONS } from '../sink/options.ts';
import type { ServerOptions } from '../sink/server.ts';
import type { Schema, ServerKind } from './mappings/mappings.ts';

type SetupOptions = Values<typeof SETUP_OPTIONS>;

/** The desired state of one server. */
export interface SetupSettings {
  readonly kind: ServerKind;
  /** The name of the template and the policy. */
  readonly name: string;
  /** The index pattern of the template. */
  readonly pattern: string;
  /** A name that matches the pattern and belongs to no index. */
  readonly sample: string;
  readonly isDataStream: boolean;
  readonly schema: Schema;
  /** The retention in the server's notation: `14d`, `36h`. */
  readonly keep: string | undefined;
  readonly shards: number;
  readonly replicas: number;
  readonly priority: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LONGEST_KEEP_MS = 36_500 * DAY_MS;

/**
 * The servers given by the options, each with its desired state.
 * @throws UsageError with the option's name
 */
export function setupSettings(options: SetupOptions): { server: ServerOptions; settings: SetupSettings }[] {
  const servers = destinationsOf(options).flatMap(({ server }) => (server === undefined ? [] : [server]));
  if (servers.length === 0)
    throw new UsageError('setup needs a server: --url, such as --url http://elasticsearch:9200');
  const { indexPrefix, dataStream, schema, shards, replicas, priority } = options;
  if (shards < 1) throw new UsageError('--shards 0: an index has at least one');
  const common = {
    name: dataStream ?? indexPrefix,
    pattern: dataStream ?? `${indexPrefix}-*`,
    sample: dataStream ?? `${indexPrefix}-1970.01.01`,
    isDataStream: dataStream !== undefined,
    schema,
    keep: keepOf(options.keep),
    shards,
    replicas,
    priority,
  };
  return servers.map((server) => ({ server, settings: { ...common, kind: server.kind } }));
}

/** The retention in whole days if possible, as users write it and servers return it. */
function keepOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  let ms: number;
  try {
    ms = parseDuration(text, LONGEST_KEEP_MS);
  } catch (cause) {
    throw new UsageError(`--keep: ${messageOf(cause)}`, { cause });
  }
  // Indices are daily: with a shorter retention, lines written a moment ago would be deleted.
  if (ms < DAY_MS) throw new UsageError(`--keep ${text}: indices are daily, so at least 1d`);
  return ms % DAY_MS === 0 ? `${ms / DAY_MS}d` : `${Math.ceil(ms / HOUR_MS)}h`;
}

export const SETUP_OPTIONS = [
  ...SINK_OPTIONS,
  {
    flag: 'schema',
    type: 'choice',
    values: ['kolla', 'ecs', 'raw'],
    env: 'KOLLA_LOG_SHIP_SCHEMA',
    default: 'kolla',
    help: 'field names to map',
    example: 'ecs',
  },
  {
    flag: 'keep',
    type: 'string',
    env: 'KOLLA_LOG_SHIP_KEEP',
    help: 'retention period of indices; at least 1d',
    example: '14d',
  },
  {
    flag: 'shards',
    type: 'integer',
    env: 'KOLLA_LOG_SHIP_SHARDS',
    default: '1',
    help: 'number of primary shards',
    example: '3',
  },
  {
    flag: 'replicas',
    type: 'integer',
    env: 'KOLLA_LOG_SHIP_REPLICAS',
    default: '1',
    help: 'number of replicas; 0 for a single node',
    example: '0',
  },
  {
    flag: 'priority',
    type: 'integer',
    env: 'KOLLA_LOG_SHIP_PRIORITY',
    default: '200',
    help: 'priority of the index template',
    example: '500',
  },
  {
    flag: 'force',
    type: 'boolean',
    env: 'KOLLA_LOG_SHIP_FORCE',
    help: 'replace templates and policies created by other clients',
    example: 'true',
  },
  {
    flag: 'dry-run',
    type: 'boolean',
    env: 'KOLLA_LOG_SHIP_DRY_RUN',
    help: 'print the changes without making them',
    example: 'true',
  },
  {
    flag: 'timeout',
    type: 'duration',
    env: 'KOLLA_LOG_SHIP_SETUP_TIMEOUT',
    default: '30s',
    help: 'maximum time for all requests',
    example: '2m',
  },
  {
    flag: 'saved-objects',
    type: 'choice',
    values: ['kibana', 'dashboards'],
    env: 'KOLLA_LOG_SHIP_SAVED_OBJECTS',
    help: 'print dashboards to import, without contacting a server',
    example: 'kibana',
  },
  outputOption('KOLLA_LOG_SHIP_SETUP_OUTPUT', 'text'),
] as const satisfies readonly Option[];
