import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ConfigError, NotPermittedError, messageOf } from '../../cli/errors.ts';
import { formatListen, type ListenAddress } from '../address.ts';

/** What one path answers. */
export interface Health {
  /** 200 or 503. */
  readonly isOk: boolean;
  /** The whole body, without a line break: a status word, never a detail. The port is open to whoever reaches the pod. */
  readonly word: string;
}

/** By path, `/livez`; asked at each request, so it must be cheap. */
export type HealthPaths = Readonly<Record<string, () => Health>>;

export interface HealthServer extends AsyncDisposable {
  /** The one that it got, where 0 was asked for. */
  readonly port: number;
}

/** A probe's request is some 200 bytes. */
const HEADERS_BYTES = 4096;
/** The kubelet itself gives up after a second unless told otherwise. */
const REQUEST_MS = 5000;
const CHECK_MS = 1000;
/** Beyond that the oldest is closed, so that somebody who holds connections open can't keep the kubelet out. */
const CONNECTIONS = 64;

/**
 * Answers GET and HEAD on these paths, and everything else with 404, one request a connection. Plain HTTP, as the kubelet
 * asks. Listens until it is disposed of.
 * @throws ConfigError for an address that is taken or not ours; NotPermittedError for a port that needs root
 */
export async function serveHealth(at: ListenAddress, paths: HealthPaths): Promise<HealthServer> {
  const options = {
    maxHeaderSize: HEADERS_BYTES,
    headersTimeout: REQUEST_MS,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: CHECK_MS,
  };
  const server = createServer(options, (request, response) => answer(paths, request, response));
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    const [oldest] = open;
    if (open.size > CONNECTIONS) oldest?.destroy();
  });
  try {
    server.listen(at);
    await once(server, 'listening');
  } catch (error) {
    throw refusal(at, error);
  }
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

function answer(paths: HealthPaths, { method, url = '' }: IncomingMessage, response: ServerResponse): void {
  const [path = ''] = url.split('?');
  const isKnown = (method === 'GET' || method === 'HEAD') && Object.hasOwn(paths, path);
  const health = isKnown ? paths[path]?.() : undefined;
  const status = health === undefined ? 404 : health.isOk ? 200 : 503;
  const body = `${health?.word ?? 'not found'}\n`;
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(body);
}

function refusal(at: ListenAddress, cause: unknown): Error {
  const what = `cannot listen on ${formatListen(at)}: ${messageOf(cause)}`;
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'EACCES') {
    return new NotPermittedError(`${what}; a port below 1024 needs root: give a higher one`, { cause });
  }
  const fix =
    code === 'EADDRINUSE'
      ? 'another process of this pod has that port: give another one'
      : "leave the address out, or give one of this pod's";
  return new ConfigError(`${what}; ${fix}`, { cause });
}
