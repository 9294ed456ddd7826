import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { Values } from '../cli/option.ts';
import { messageOf, UsageError } from '../core/errors.ts';
import { listenAddress, parseListen, type Address, type ListenAddress } from '../net/dial/address.ts';
import type { OPTIONS } from './options.ts';
import type { ParserOptions } from './parse/document.ts';
import { formatRules, labelsOf } from './parse/options.ts';
import { zoneNamed } from './time/zone.ts';
import { readBytesFor } from './read/bytes.ts';
import { MIN_KEEP_BYTES } from './reclaim/reclaimer.ts';
import { destinationsOf, type Destination } from './sink/destinations.ts';

type Options = Values<typeof OPTIONS>;

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
  /** The limit for all destinations together. */
  readonly inFlightBytes: number;
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

/** Throws UsageError or ConfigError that names the option. */
export function settingsOf(operands: readonly string[], options: Options): Settings {
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
      zone: read('--timezone', options.timezone, zoneNamed),
      schema: options.schema,
      formats: formatRules(options.format, root),
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
    inFlightBytes: inFlightBytesOf(options, destinations.length),
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

/** Checks that each destination has room for reading, and for filling and sending requests. */
function inFlightBytesOf({ inFlightBytes, maxLineBytes }: Options, destinations: number): number {
  const least = destinations * (readBytesFor(maxLineBytes) + 2 * MIB);
  if (inFlightBytes >= least) return inFlightBytes;
  const many = destinations === 1 ? '' : ` for ${destinations} destinations`;
  throw new UsageError(
    `--in-flight-bytes ${inFlightBytes}: at least ${least}${many} with lines of up to ${maxLineBytes}`,
  );
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
