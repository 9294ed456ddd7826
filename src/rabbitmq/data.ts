/**
 * What a node's volume says about the RabbitMQ that wrote it:
 *
 *   a node has started -> its version in a file of ours (recordVersion, by a probe)
 *   before each start  -> that file, and the feature flags that RabbitMQ itself keeps -> the version of the data
 */
import { readFileSync, statSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { unlessAbsent } from '../fs/absent.ts';
import { replace } from '../fs/replacer.ts';
import { ConfigError, reasonOf } from '../core/errors.ts';
import { compareSeries, parseVersion, type Version } from './version.ts';

/** Series in which feature flags of RabbitMQ's core appeared. A flag that is enabled proves that series, or a newer one. */
const FIRST_IN: Readonly<Record<string, readonly string[]>> = {
  '3.8': ['quorum_queue', 'implicit_default_bindings', 'virtual_host_metadata', 'maintenance_mode_status'],
  '3.9': ['stream_queue', 'user_limits'],
  '3.10': ['classic_mirrored_queue_version'],
  '3.11': [
    'classic_queue_type_delivery_support',
    'direct_exchange_routing_v2',
    'feature_flags_v2',
    'listener_records_in_ets',
    'stream_single_active_consumer',
    'tracking_records_in_ets',
  ],
  '3.12': ['restart_streams', 'stream_sac_coordinator_unblock_group', 'stream_filtering'],
  '3.13': ['khepri_db', 'message_containers', 'quorum_queue_non_voters', 'stream_update_config_command'],
};
/** Enabled with a release as a whole, since 4.0. */
const RELEASE_FLAG = /^rabbitmq_(\d+\.\d+\.\d+)$/;

/** The largest file that is read; RabbitMQ's has some hundred bytes. */
const MAX_BYTES = 64 * 1024;

export interface Data {
  /** The newest version that is known to have started with this data. */
  readonly version: Version;
  /** What the version was read from, for messages. */
  readonly source: string;
  readonly flags: ReadonlySet<string> | undefined;
}

/** The directories of a node. */
export interface NodeDirectories {
  /** RABBITMQ_MNESIA_BASE. */
  readonly base: string;
  /** The node's name: `rabbit@HOST`. */
  readonly node: string;
  /** The file with the version, on the same volume. */
  readonly record: string;
}

/**
 * Reads what a node's data says.
 * @returns undefined for a node without data, or with data of which nothing is known, such as after an interrupted first start
 * @throws ConfigError for an unreadable or damaged file
 */
export function readData({ base, node, record }: NodeDirectories): Data | undefined {
  // Without the data, a version that was left behind means nothing.
  if (lookedAt(join(base, node))?.isDirectory() !== true) return undefined;
  const flagsFile = join(base, `${node}-feature_flags`);
  const [recorded, written] = [readText(record), readText(flagsFile)];
  const flags = written === undefined ? undefined : parseFlags(written);
  const found: Data[] = [];
  if (recorded !== undefined) {
    const version = parseVersion(recorded.trim());
    if (version === undefined)
      throw new ConfigError(`${record} contains no version of RabbitMQ: write the one that this node ran last into it`);
    found.push({ version, source: record, flags });
  }
  const atLeast = flags && newestOf(flags);
  if (atLeast !== undefined) found.push({ version: atLeast, source: `feature flags in ${flagsFile}`, flags });
  // The record is older if a node was killed as soon as it had enabled flags; it is newer until flags are enabled.
  return found.reduce<Data | undefined>(
    (best, each) => (best === undefined || compareSeries(each.version, best.version) > 0 ? each : best),
    undefined,
  );
}

/**
 * Records the version of a node that has started.
 * @throws the system's error
 */
export function recordVersion(file: string, { text }: Version): void {
  const content = `${text}\n`;
  if (readText(file) === content) return;
  replace(file, { content: Buffer.from(content), mode: 0o644, uid: -1, gid: -1 });
}

/** The atoms in RabbitMQ's list of enabled flags: `[quorum_queue,'rabbitmq_4.0.0'].` */
export function parseFlags(text: string): ReadonlySet<string> {
  return new Set(text.match(/[a-z][\w.@]*/g));
}

/** The newest series that enabled flags prove. */
function newestOf(flags: ReadonlySet<string>): Version | undefined {
  const series = Object.entries(FIRST_IN).flatMap(([name, own]) => (own.some((flag) => flags.has(flag)) ? [name] : []));
  const releases = [...flags].map((flag) => RELEASE_FLAG.exec(flag)?.[1] ?? '');
  return [...series, ...releases]
    .flatMap((text) => parseVersion(text) ?? [])
    .toSorted(compareSeries)
    .at(-1);
}

function readText(file: string): string | undefined {
  const found = lookedAt(file);
  if (found === undefined) return undefined;
  if (!found.isFile() || found.size > MAX_BYTES)
    throw new ConfigError(`${file} is not a file of at most ${MAX_BYTES} bytes`);
  return readable(file, () => readFileSync(file, 'utf8'));
}

function lookedAt(path: string): Stats | undefined {
  return readable(path, () => unlessAbsent(() => statSync(path)));
}

function readable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new ConfigError(`cannot read ${path}: ${reasonOf(cause)}`, { cause });
  }
}
