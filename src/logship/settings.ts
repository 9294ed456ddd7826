import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigError, messageOf, UsageError } from '../cli/errors.ts';
import type { Values } from '../cli/option.ts';
import type { Origin } from './document.ts';
import type { OPTIONS } from './options.ts';
import { zoneNamed, type Zone } from './parse/zone.ts';
import type { ElasticsearchOptions } from './sink/elasticsearch.ts';

type Options = Values<typeof OPTIONS>;

/** The options, checked against each other. */
export interface Settings {
  readonly patterns: readonly string[];
  readonly root: string;
  readonly stateDir: string;
  readonly zone: Zone;
  readonly origin: Origin;
  readonly indexPrefix: string;
  /** Undefined for stdout. */
  readonly server: ElasticsearchOptions | undefined;
}

const MIN_LINE_BYTES = 256;

/** Throws UsageError or ConfigError with the option's name. */
export function settingsOf(operands: readonly string[], options: Options): Settings {
  const root = resolve(options.root);
  if (options.maxLineBytes < MIN_LINE_BYTES)
    throw new UsageError(`--max-line-bytes ${options.maxLineBytes}: below ${MIN_LINE_BYTES} ordinary lines are cut`);
  return {
    patterns: operands.length > 0 ? operands.map((path) => resolve(path)) : [join(root, '*/*.log')],
    root,
    stateDir: resolve(options.stateDir ?? join(root, '.kolla-log-ship')),
    zone: zoneOf(options.timezone),
    origin: {
      hostname: options.hostname ?? options.node ?? hostname(),
      pod: options.pod,
      namespace: options.namespace,
      node: options.node,
    },
    indexPrefix: `${indexPrefixOf(options.indexPrefix)}-`,
    server: serverOf(options),
  };
}

function zoneOf(name: string): Zone {
  try {
    return zoneNamed(name);
  } catch (cause) {
    throw new UsageError(`--timezone: ${messageOf(cause)}`, { cause });
  }
}

/** Refused here, it is one error; refused by the server, it would be one dead letter a line. */
function indexPrefixOf(prefix: string): string {
  if (/^[a-z0-9][a-z0-9._-]*$/.test(prefix)) return prefix;
  throw new UsageError(`--index-prefix '${prefix}': an index begins with a-z or 0-9, and has only these and . _ -`);
}

function serverOf(options: Options): ElasticsearchOptions | undefined {
  const to = options.to ?? (options.url === undefined ? 'stdout' : 'elasticsearch');
  if (to === 'stdout') return undefined;
  if (options.url === undefined) throw new UsageError(`--to ${to} needs --url, such as --url https://${to}:9200`);
  const url = URL.parse(options.url);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new UsageError('--url is not an http:// or https:// URL');
  if (url.username !== '' || url.password !== '')
    throw new UsageError('--url: others would see credentials in it; give --user and --password-file');
  const password = passwordOf(options);
  if (options.user === undefined && password !== undefined) throw new UsageError('a password needs its --user');
  if (options.user !== undefined && password === undefined)
    throw new UsageError('--user needs --password-file or KOLLA_LOG_SHIP_PASSWORD');
  const caFile = options.caFile;
  if (caFile !== undefined) readText('--ca-file', caFile);
  return { kind: to, url, user: options.user, password, caFile };
}

function passwordOf({ password, passwordFile }: Options): string | undefined {
  return passwordFile === undefined ? password : readText('--password-file', passwordFile).replace(/\r?\n$/, '');
}

function readText(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ConfigError(`${flag}: ${messageOf(cause)}`, { cause });
  }
}
