import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ConfigError, messageOf, NotPermittedError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { formatAddress, type Address } from '../../net/address.ts';
import { parseSyslog } from '../parse/syslog.ts';
import type { Zone } from '../parse/zone.ts';
import { lineOf, SyslogFiles } from './files.ts';

interface SyslogOptions {
  readonly at: Address;
  readonly root: string;
  /** Of times in messages that have none. */
  readonly zone: Zone;
  readonly mayRotate: (path: string) => boolean;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly maxBytes?: number;
}

/** Receives until it is disposed of; then what has come is in the files. */
export interface Syslog extends AsyncDisposable {
  /** The one that it got, where 0 was asked for. */
  readonly port: number;
  /** Datagrams that came. */
  readonly received: () => number;
  /** Lines that no file took. */
  readonly lost: () => number;
  /** Datagrams that the kernel dropped because we read too slowly; undefined where that can't be seen. */
  readonly dropped: () => number | undefined;
}

const FILE_BYTES = 64 * 1024 * 1024;
/** As much as the system allows (net.core.rmem_max), for bursts. */
const BUFFER_BYTES = 4 * 1024 * 1024;
/** At a stop: what has come is read for so long at most, should a client go on sending. */
const LAST_MS = 500;
const LOOK_MS = 30_000;
const DAY_MS = 86_400_000;
/** What a message's own time may be off. */
const AHEAD_MS = DAY_MS;
const BEHIND_MS = 30 * DAY_MS;

/**
 * Binds the socket and begins to write.
 * @throws ConfigError for an address that is taken or not ours, NotPermittedError for a port that needs root
 */
export async function openSyslog(options: SyslogOptions): Promise<Syslog> {
  const { at, root, zone, mayRotate, log, now, maxBytes = FILE_BYTES } = options;
  const files = new SyslogFiles({ root, maxBytes, mayRotate, log });
  const socket = createSocket({ type: isIPv6(at.host) ? 'udp6' : 'udp4', recvBufferSize: BUFFER_BYTES });
  let received = 0;
  let willFlush = false;
  const flush = () => {
    willFlush = false;
    files.flush();
  };
  socket.on('message', (datagram) => {
    received++;
    const message = parseSyslog(datagram.toString('utf8'), { atMs: now(), zone });
    files.add(message.program, lineOf({ ...message, timeMs: believable(message.timeMs, now()) }));
    if (willFlush) return;
    willFlush = true;
    // What came together is one write.
    setImmediate(flush);
  });
  const bound = await bind(socket, at);
  socket.on('error', (error) => log.error(`syslog at ${formatAddress(bound)}: ${messageOf(error)}`));
  log.info(`taking syslog at udp://${formatAddress(bound)}`);
  const drops = new Drops(bound, log);
  let closing: Promise<void> | undefined;
  const close = async () => {
    await drained(bound);
    drops[Symbol.dispose]();
    const closed = once(socket, 'close');
    socket.close();
    await closed;
    files[Symbol.dispose]();
    if (files.lost > 0) log.warn(`${files.lost} syslog lines were lost, as no file took them`);
  };
  return {
    port: bound.port,
    received: () => received,
    lost: () => files.lost,
    dropped: () => queueOf(bound)?.dropped,
    [Symbol.asyncDispose]: () => (closing ??= close()),
  };
}

/** Each day that is told makes an index: whoever reaches the port must not make as many as a server may have. */
function believable(timeMs: number, arrivedMs: number): number {
  return timeMs > arrivedMs + AHEAD_MS || timeMs < arrivedMs - BEHIND_MS ? arrivedMs : timeMs;
}

async function bind(socket: Socket, at: Address): Promise<Address> {
  try {
    socket.bind(at.port, at.host);
    await once(socket, 'listening');
    const { address, port } = socket.address();
    return { host: address, port };
  } catch (cause) {
    const what = `--syslog: cannot listen on udp://${formatAddress(at)}: ${messageOf(cause)}`;
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EACCES')
      throw new NotPermittedError(`${what}; a port below 1024 needs root: give a higher one`, { cause });
    const fix =
      code === 'EADDRINUSE' ? 'another process of this pod has that port' : "give one of this pod's addresses";
    throw new ConfigError(`${what}; ${fix}`, { cause });
  }
}

/** Until nothing waits in the kernel. Nothing tells when that is so. */
async function drained(at: Address): Promise<void> {
  const until = performance.now() + LAST_MS;
  do await nextTurn();
  while ((queueOf(at)?.waiting ?? 0) > 0 && performance.now() < until);
  await nextTurn();
}

/** Says when the kernel has dropped some. */
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

/** What the kernel knows of a socket. */
interface SocketQueue {
  /** Bytes that wait to be read. */
  readonly waiting: number;
  /** Datagrams that found no room. */
  readonly dropped: number;
}

/** local_address, remote, state, tx_queue:rx_queue ... drops. */
const ROW = /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) \S+ \S+ [0-9A-F]+:([0-9A-F]+) .* (\d+) *$/;

/**
 * Of the UDP socket that is bound there, from /proc/net/udp or udp6.
 * @returns undefined where that can't be seen
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

/** Four bytes in the order of the machines that we run on: 127.0.0.1 is 0100007F. */
function hexOf(host: string): string {
  const bytes = host.split('.').map(Number).toReversed();
  return bytes.map((byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join('');
}
