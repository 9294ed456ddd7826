import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { Values } from '../cli/option.ts';
import { messageOf, UsageError } from '../core/errors.ts';
import { listenAddress, parseListen, type Address, type ListenAddress } from '../net/dial/address.ts';
import type { OPTIONS } from './options.ts';
import type { FormatRule } from './formats/index.ts';
import type { ParserOptions } from './formats/parser.ts';
import { formatRules, labelsOf } from './formats/options.ts';
import { leastMemory } from './memory.ts';
import { zoneTableNamed } from './time/zone-table.ts';
import { readBytesFor } from './read/bytes.ts';
import { MIN_KEEP_BYTES } from './reclaim/reclaimer.ts';
import { destinationsOf, type Destination } from './sink/destinations.ts';

type Options = Values<typeof OPTIONS>;

/**
 * The rules for the files of this site's own formats.
 * @throws ConfigError that names the file, the format and the column
 */
export async function ownRules({ formats, root }: Pick<Options, 'formats' | 'root'>): Promise<readonly FormatRule[]> {
  if (formats === undefined) return [];
  const { ownFormatsIn } = await import('./formats/own-file.ts');
  return ownFormatsIn(formats, root);
}

/** The options after they were validated together. */
export interface Settings {
  readonly patterns: readonly string[];
  /** Globs: absolute, or without a slash. */
  readonly excludes: readonly string[];
  /** Where reading starts on first start. */
  readonly from: 'beginning' | 'end';
  readonly root: string;
  readonly stateDir: string;
  /** Options that affect documents. */
  readonly parse: ParserOptions;
  /** The ID of this log source; if undefined, it is generated and stored in the state directory. */
  readonly sourceId: string | undefined;
  readonly destinations: readonly [Destination, ...Destination[]];
  readonly gzip: boolean;
  readonly deadLetterBytes: number;
  /** Maximum anonymous memory of the process. */
  readonly memoryBytes: number;
  /** The limit for all destinations together; undefined if it is what memoryBytes leaves. */
  readonly inFlightBytes: number | undefined;
  readonly maxLineBytes: number;
  /** An event ends after this time without a line. */
  readonly eventTimeoutMs: number;
  readonly once: boolean;
  /** With `once`: how long a server may accept nothing. */
  readonly timeoutMs: number;
  readonly graceMs: number;
  readonly reclaim: { readonly mode: 'auto' | 'on' | 'off'; readonly keepBytes: number };
  /** The syslog address; undefined if syslog is not received. */
  readonly syslog: Address | undefined;
  /** The address of the server; undefined if there is none. */
  readonly listen: ListenAddress | undefined;
}

const MIN_LINE_BYTES = 256;
const MIB = 1024 * 1024;

/**
 * @param own the rules of `--formats`: see ownRules()
 * @throws UsageError or ConfigError that names the option
 */
export function settingsOf(operands: readonly string[], options: Options, own: readonly FormatRule[] = []): Settings {
  const root = resolve(options.root);
  if (options.maxLineBytes < MIN_LINE_BYTES)
    throw new UsageError(
      `--max-line-bytes ${options.maxLineBytes}: below ${MIN_LINE_BYTES} ordinary lines are truncated`,
    );
  const destinations = destinationsOf(options);
  return {
    patterns: operands.length > 0 ? operands.map((path) => resolve(path)) : [join(root, '*/*.log')],
    excludes: options.exclude.map((glob) => (glob.includes('/') ? resolve(root, glob) : glob)),
    from: options.from,
    root,
    stateDir: resolve(options.state ?? join(root, '.kolla-log-ship')),
    parse: {
      root,
      zone: read('--timezone', options.timezone, (name) => zoneTableNamed(name)),
      schema: options.schema,
      formats: [...own, ...formatRules(options.format, root)],
      origin: {
        hostname: options.hostname ?? options.node ?? hostname(),
        pod: options.pod,
        namespace: options.namespace,
        node: options.node,
        container: options.container,
        labels: labelsOf(options.label, options.labelsFile),
      },
    },
    sourceId: options.sourceId,
    destinations,
    gzip: options.gzip,
    deadLetterBytes: deadLetterBytesOf(options),
    ...memoryOf(options, destinations.length),
    maxLineBytes: options.maxLineBytes,
    eventTimeoutMs: options.multilineTimeout,
    once: options.once,
    timeoutMs: options.timeout,
    graceMs: options.grace,
    reclaim: { mode: reclaimOf(options), keepBytes: keepBytesOf(options) },
    syslog: syslogOf(options),
    listen: options.listen === undefined ? undefined : listenAddress(options.listen),
  };
}

/** Parses the value of an option. Errors name the option. */
function read<T>(flag: string, word: string, parse: (word: string) => T): T {
  try {
    return parse(word);
  } catch (cause) {
    throw new UsageError(`${flag}: ${messageOf(cause)}`, { cause });
  }
}

/** What a destination needs for reading, and for filling and sending requests. */
export function leastInFlight(maxLineBytes: number): number {
  return readBytesFor(maxLineBytes) + 2 * MIB;
}

/** Checks that each destination has what it needs. */
function memoryOf({ memory, inFlightBytes, maxLineBytes }: Options, destinations: number) {
  const least = leastInFlight(maxLineBytes);
  const check = (flag: string, bytes: number, needed: number) => {
    const many = destinations === 1 ? '' : ` for ${destinations} destinations`;
    if (bytes < needed)
      throw new UsageError(`${flag} ${bytes}: at least ${needed}${many} with lines of up to ${maxLineBytes}`);
  };
  if (inFlightBytes === undefined) check('--memory', memory, leastMemory(destinations, least));
  else check('--in-flight-bytes', inFlightBytes, destinations * least);
  return { memoryBytes: memory, inFlightBytes };
}

function deadLetterBytesOf({ deadLetterBytes }: Options): number {
  if (deadLetterBytes >= MIB) return deadLetterBytes;
  throw new UsageError(`--dead-letter-bytes ${deadLetterBytes}: at least ${MIB}`);
}

/** A look with --once may run beside the shipper whose disk it is, and knows only its own checkpoint. */
function reclaimOf({ reclaim, once }: Options): Options['reclaim'] {
  return once && reclaim === 'auto' ? 'off' : reclaim;
}

function keepBytesOf({ reclaimKeep }: Options): number {
  if (reclaimKeep >= MIN_KEEP_BYTES) return reclaimKeep;
  throw new UsageError(`--reclaim-keep ${reclaimKeep}: at least ${MIN_KEEP_BYTES}, which identify a file`);
}

function syslogOf({ syslog, once }: Options): Address | undefined {
  if (syslog === undefined) return undefined;
  if (once) throw new UsageError('--syslog and --once: later messages would be lost');
  return syslogAddress(syslog);
}

const LOOPBACK = '127.0.0.1';

/**
 * `udp://ADDRESS:PORT`; without an address loopback only, since any client of the port can write log lines.
 * @throws UsageError
 */
export function syslogAddress(text: string): Address {
  if (text.startsWith('unix')) {
    throw new UsageError(
      `--syslog ${text}: Node has no Unix datagram sockets; let the program log to udp://127.0.0.1:5140, as haproxy can`,
    );
  }
  const rest = /^udp:\/\/([^/]+)\/?$/.exec(text)?.[1];
  if (rest === undefined)
    throw new UsageError(`--syslog '${text}' is not udp://ADDRESS:PORT, as in udp://127.0.0.1:5140`);
  const { host = LOOPBACK, port } = read('--syslog', rest, parseListen);
  return { host, port };
}
