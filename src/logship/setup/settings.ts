import { parseDuration } from '../../core/duration.ts';
import { messageOf, UsageError } from '../../core/errors.ts';
import type { Values } from '../../cli/option.ts';
import { destinationsOf } from '../sink/destinations.ts';
import type { ServerOptions } from '../sink/server.ts';
import type { Schema, ServerKind } from './mappings.ts';
import type { SETUP_OPTIONS } from './options.ts';

export type SetupOptions = Values<typeof SETUP_OPTIONS>;

/** What one server is to get. */
export interface SetupSettings {
  readonly kind: ServerKind;
  /** Of the template and the policy. */
  readonly name: string;
  /** What the template is for. */
  readonly pattern: string;
  /** A name that the pattern matches and no real index has. */
  readonly sample: string;
  readonly isDataStream: boolean;
  readonly schema: Schema;
  /** As the server writes it: `14d`, `36h`. */
  readonly keep: string | undefined;
  readonly shards: number;
  readonly replicas: number;
  readonly priority: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LONGEST_KEEP_MS = 36_500 * DAY_MS;

/**
 * The servers of the options, each with what it is to get.
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

/** Days where they are whole: what a person wrote and a server shows. */
function keepOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  let ms: number;
  try {
    ms = parseDuration(text, LONGEST_KEEP_MS);
  } catch (cause) {
    throw new UsageError(`--keep: ${messageOf(cause)}`, { cause });
  }
  // An index is of a day: one that goes sooner takes lines along that were written a moment ago.
  if (ms < DAY_MS) throw new UsageError(`--keep ${text}: an index is of a day, so at least 1d`);
  return ms % DAY_MS === 0 ? `${ms / DAY_MS}d` : `${Math.ceil(ms / HOUR_MS)}h`;
}
