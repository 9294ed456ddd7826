import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { codeOf, ConfigError, messageOf, NotPermittedError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { nextTurn } from '../../core/next-turn.ts';
import { formatAddress, type Address } from '../../net/dial/address.ts';
import { resolveName } from '../../net/resolver/index.ts';
import { parseSyslog } from './message.ts';
import { zoneOf } from '../time/zone.ts';
import type { ZoneTable } from '../time/zone-table.ts';
import { lineOf, SyslogFiles } from './files.ts';

interface SyslogOptions {
  readonly at: Address;
  readonly root: string;
  /** The zone for timestamps without one. */
  readonly zone: ZoneTable;
  readonly mayRotate: (path: string) => boolean;
  readonly log: Log;
  /** The time of arrival in milliseconds since the epoch. */
  readonly now: () => number;
  readonly maxBytes?: number;
  /** Ends the lookup of the address. */
  readonly signal: AbortSignal;
}

/** Receives until disposed; by then all received messages are in the files. */
export interface Syslog extends AsyncDisposable {
  /** The port in use, if 0 was requested. */
  readonly port: number;
  /** Number of datagrams received. */
  readonly received: () => number;
  /** Number of lines that could not be written. */
  readonly lost: () => number;
  /** Number of datagrams that the kernel dropped because we read too slowly; undefined if unknown. */
  readonly dropped: () => number | undefined;
}

const FILE_BYTES = 64 * 1024 * 1024;
/** Buffer size for bursts, as far as the system allows it (net.core.rmem_max). */
const BUFFER_BYTES = 4 * 1024 * 1024;
/** Maximum time to drain the socket on a stop, in case a client keeps sending. */
const LAST_MS = 500;
const LOOK_MS = 30_000;
const DAY_MS = 86_400_000;
/** Maximum deviation of a message's timestamp from its arrival. */
const AHEAD_MS = DAY_MS;
const BEHIND_MS = 30 * DAY_MS;

/**
 * Binds the socket and starts writing.
 * @throws ConfigError if the address is in use or not local, NotPermittedError for a privileged port
 */
export async function openSyslog(options: SyslogOptions): Promise<Syslog> {
  const { at, root, zone, mayRotate, log, now, signal, maxBytes = FILE_BYTES } = options;
  const files = new SyslogFiles({ root, maxBytes, mayRotate, log });
  const local = await resolved(at, signal);
  const socket = createSocket({ type: isIPv6(local.host) ? 'udp6' : 'udp4', recvBufferSize: BUFFER_BYTES });
  let received = 0;
  let willFlush = false;
  const flush = () => {
    willFlush = false;
    files.flush();
  };
  socket.on('message', (datagram) => {
    received++;
    const message = parseSyslog(datagram.toString('utf8'), { atMs: now(), zone: zoneOf(zone) });
    files.add(message.program, lineOf({ ...message, timeMs: believable(message.timeMs, now()) }));
    if (willFlush) return;
    willFlush = true;
    // Datagrams that are received together are written together.
    setImmediate(flush);
  });
  const bound = await bind(socket, local);
  socket.on('error', (error) => log.error(`syslog at ${formatAddress(bound)}: ${messageOf(error)}`));
  log.info(`receiving syslog on udp://${formatAddress(bound)}`);
  const drops = new Drops(bound, log);
  let closing: Promise<void> | undefined;
  const close = async () => {
    await drained(bound);
    drops[Symbol.dispose]();
    const closed = once(socket, 'close');
    socket.close();
    await closed;
    files[Symbol.dispose]();
    if (files.lost > 0) log.warn(`${files.lost} syslog lines were lost: they could not be written`);
  };
  return {
    port: bound.port,
    received: () => received,
    lost: () => files.lost,
    dropped: () => queueOf(bound)?.dropped,
    [Symbol.asyncDispose]: () => (closing ??= close()),
  };
}

/** Each day has an index, so a client of the port must not be able to exhaust the server's shards with false dates. */
function believable(timeMs: number, arrivedMs: number): number {
  return timeMs > arrivedMs + AHEAD_MS || timeMs < arrivedMs - BEHIND_MS ? arrivedMs : timeMs;
}

async function resolved(at: Address, signal: AbortSignal): Promise<Address> {
  try {
    const [host = at.host] = await resolveName(at.host, signal);
    return { ...at, host };
  } catch (cause) {
    signal.throwIfAborted();
    throw new ConfigError(`--syslog: ${messageOf(cause)}`, { cause });
  }
}

async function bind(socket: Socket, at: Address): Promise<Address> {
  try {
    socket.bind(at.port, at.host);
    await once(socket, 'listening');
    const { address, port } = socket.address();
    return { host: address, port };
  } catch (cause) {
    const what = `--syslog: cannot listen on udp://${formatAddress(at)}: ${messageOf(cause)}`;
    const code = codeOf(cause);
    if (code === 'EACCES')
      throw new NotPermittedError(`${what}; a port below 1024 needs root: give a higher one`, { cause });
    const fix =
      code === 'EADDRINUSE' ? 'another process of this Pod uses that port' : "give one of this pod's addresses";
    throw new ConfigError(`${what}; ${fix}`, { cause });
  }
}

/** Polls until the kernel's queue is empty, because there is no event for that. */
async function drained(at: Address): Promise<void> {
  const until = performance.now() + LAST_MS;
  do await nextTurn();
  while ((queueOf(at)?.waiting ?? 0) > 0 && performance.now() < until);
  await nextTurn();
}

/** Logs datagrams dropped by the kernel. */
class Drops implements Disposable {
  readonly #timer: NodeJS.Timeout;
  readonly #at: Address;
  readonly #log: Log;
  #said = 0;

  constructor(at: Address, log: Log) {
    this.#at = at;
    this.#log = log;
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#look();
  }

  #look(): void {
    const dropped = queueOf(this.#at)?.dropped ?? 0;
    if (dropped <= this.#said) return;
    this.#log.warn(`the kernel dropped ${dropped - this.#said} syslog datagrams: more came than its buffer holds`, {
      fix: 'raise net.core.rmem_max on the node, or let the program log less',
    });
    this.#said = dropped;
  }
}

/** The kernel's counters of a socket. */
interface SocketQueue {
  /** Number of bytes waiting to be read. */
  readonly waiting: number;
  /** Number of datagrams dropped for lack of room. */
  readonly dropped: number;
}

/** Columns of the table: local_address, remote, state, tx_queue:rx_queue ... drops. */
const ROW = /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) \S+ \S+ [0-9A-F]+:([0-9A-F]+) .* (\d+) *$/;

/**
 * The queue of the UDP socket with that address, from /proc/net/udp or udp6.
 * @returns undefined if unknown
 */
function queueOf({ host, port }: Address): SocketQueue | undefined {
  const wanted = isIPv6(host) ? undefined : hexOf(host);
  let text: string;
  try {
    text = readFileSync(`/proc/net/${isIPv6(host) ? 'udp6' : 'udp'}`, 'latin1');
  } catch {
    return undefined; // no /proc here, or IPv6 is off
  }
  for (const line of text.split('\n')) {
    const [, local, portHex = '', waiting = '', dropped] = ROW.exec(line) ?? [];
    const isOurs = Number.parseInt(portHex, 16) === port && (wanted === undefined || wanted === local);
    if (isOurs) return { waiting: Number.parseInt(waiting, 16), dropped: Number(dropped) };
  }
  return undefined;
}

/** Four bytes in little-endian order: 127.0.0.1 is written as 0100007F. */
function hexOf(host: string): string {
  const bytes = host.split('.').map(Number).toReversed();
  return bytes.map((byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join('');
}
