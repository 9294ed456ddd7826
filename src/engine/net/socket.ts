/** Operations on a non-blocking socket. Immediate results are returned; for the others the caller waits in the loop. */
import type { AbortSignal } from '../runtime/abort.ts';
import { done, systemError } from '../runtime/errors.ts';
import { unwatch, watch } from '../runtime/loop.ts';
import { bytesOf, endpointOf, FAMILY, type Endpoint, type LocalEndpoint } from './address.ts';

const [STREAM, DATAGRAM] = [1, 2];
const EINPROGRESS = -115;
/** There is nothing to read, or no room to write. */
export const EAGAIN = -11;

export const openTcp = (address: string): number => opened(address.includes(':'), STREAM);
export const openUdp = (isIPv6: boolean): number => opened(isIPv6, DATAGRAM);
export const openUnix = (): number => done(sys.socket(FAMILY.unix, STREAM, 0), 'socket');

function opened(isIPv6: boolean, type: number): number {
  return done(sys.socket(isIPv6 ? FAMILY.v6 : FAMILY.v4, type, 0), 'socket');
}

/**
 * @returns whether the socket is already connected. If not, the descriptor becomes writable when the connection
 * succeeds or fails. Throws the system's error
 */
export function begin(fd: number, to: Endpoint | LocalEndpoint): boolean {
  const result = sys.connect(fd, bytesOf(to));
  if (result === EINPROGRESS) return false;
  if (result < 0) throw connectError(result, to);
  return true;
}

/** The result of connecting: undefined, or the error. */
export function outcomeOf(fd: number, to: Endpoint | LocalEndpoint): NodeJS.ErrnoException | undefined {
  const result = sys.outcome(fd);
  return result === 0 ? undefined : connectError(result, to);
}

const BACKLOG = 511;

/** A listening descriptor. Throws Node's error: `listen EADDRINUSE: address already in use 127.0.0.1:80` */
export function listenOn(at: Endpoint | LocalEndpoint): number {
  const fd = 'path' in at ? openUnix() : openTcp(at.address);
  const result = sys.listen(fd, bytesOf(at), BACKLOG);
  if (result === 0) return fd;
  sys.close(fd);
  const error = systemError(result, 'listen');
  const place = 'path' in at ? at.path : `${at.address}:${at.port}`;
  error.message = `listen ${error.message.replace(', listen', '')} ${place}`;
  throw Object.assign(error, 'path' in at ? { address: at.path } : at);
}

/** Node's message: `connect ECONNREFUSED 127.0.0.1:1`. */
function connectError(result: number, to: Endpoint | LocalEndpoint): NodeJS.ErrnoException {
  const error = systemError(result, 'connect');
  const at = 'path' in to ? { address: to.path } : to;
  error.message = `connect ${error.code} ${at.address}${'port' in at ? `:${at.port}` : ''}`;
  return Object.assign(error, at);
}

const [SOL_SOCKET, SO_RCVBUF, SO_KEEPALIVE] = [1, 8, 9];
const [IPPROTO_TCP, TCP_NODELAY, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT] = [6, 1, 4, 5, 6];
/** As in Node: after the first silence the peer is asked this often, a second apart. */
const [ATTEMPTS, BETWEEN_S] = [10, 1];

/** Small messages are sent at once. An error has no effect, as in Node: a Unix socket has no such option. */
export function setNoDelay(fd: number, isOn: boolean): void {
  sys.option(fd, IPPROTO_TCP, TCP_NODELAY, Number(isOn));
}

/** As far as the system allows it. */
export function setReceiveBuffer(fd: number, bytes: number): void {
  sys.option(fd, SOL_SOCKET, SO_RCVBUF, bytes);
}

/** @param intervalMs silence after which the peer is asked whether it still exists */
export function setKeepAlive(fd: number, isOn: boolean, intervalMs: number): void {
  sys.option(fd, SOL_SOCKET, SO_KEEPALIVE, Number(isOn));
  sys.option(fd, IPPROTO_TCP, TCP_KEEPIDLE, Math.ceil(intervalMs / 1000));
  sys.option(fd, IPPROTO_TCP, TCP_KEEPINTVL, BETWEEN_S);
  sys.option(fd, IPPROTO_TCP, TCP_KEEPCNT, ATTEMPTS);
}

const ADDRESS_MAX_BYTES = 128;

const [OWN, PEER] = [0, 1] as const;

/** The local address of the socket. */
export const ownOf = (fd: number): Endpoint | undefined => addressOf(fd, OWN);
/** The address of the peer. */
export const peerOf = (fd: number): Endpoint | undefined => addressOf(fd, PEER);

function addressOf(fd: number, end: 0 | 1): Endpoint | undefined {
  const bytes = new Uint8Array(ADDRESS_MAX_BYTES);
  const length = sys.address(fd, end, bytes);
  return length < 0 ? undefined : endpointOf(bytes.subarray(0, length));
}

/** Waits for events on a descriptor. */
export class Waited implements Disposable {
  readonly fd: number;
  readonly #signal: AbortSignal;

  constructor(fd: number, signal: AbortSignal) {
    this.fd = fd;
    this.#signal = signal;
  }

  /** @param events POLLIN, POLLOUT. Rejects with the signal's reason */
  async ready(events: number): Promise<void> {
    this.#signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = () => reject(this.#signal.reason);
    this.#signal.addEventListener('abort', abort);
    watch(this.fd, events, resolve);
    try {
      await promise;
    } finally {
      unwatch(this.fd);
      this.#signal.removeEventListener('abort', abort);
    }
  }

  [Symbol.dispose](): void {
    unwatch(this.fd);
    sys.close(this.fd);
  }
}
