import type { Socket } from 'node:net';
import { get } from '../../../net/codec/get.ts';
import { CurlError, curlErrorOf } from './failure.ts';
import type { PlainGet } from './words.ts';

/** Filled during the transfer, so that a failure can report it. */
export interface Progress {
  remoteAddress: string;
  remotePort: number;
  isConnected: boolean;
  /** 0 means that there is no response yet. */
  status: number;
  bytes: number;
}

/**
 * Sends one GET on a new connection, without a proxy, and reads its full response. Redirects are not followed.
 * @throws CurlError: 22 for a status of 400 and above
 */
export async function transfer(plain: PlainGet, progress: Progress, signal: AbortSignal): Promise<void> {
  const { target } = plain;
  try {
    await request(plain, progress, signal);
    if (progress.status >= 400) throw new CurlError(22, `The requested URL returned error: ${progress.status}`);
  } catch (error) {
    signal.throwIfAborted();
    throw curlErrorOf(error, target, { isConnected: progress.isConnected, isAnswered: progress.status !== 0 });
  }
}

async function request(plain: PlainGet, progress: Progress, signal: AbortSignal): Promise<void> {
  const { host, port, path, isTls } = plain.target;
  await get({
    to: { host, port },
    // As in Kolla's script (-k).
    tls: isTls ? { insecure: true } : undefined,
    target: path,
    headers: [...Object.entries(headersOf(plain)), ['Connection', 'close']],
    signal,
    onSocket: (socket) => follow(socket, progress),
    onHead: ({ status }) => (progress.status = status) < 400,
    onBody: ({ length }) => {
      progress.bytes += length;
      return true;
    },
  });
}

/** The headers that curl sends. */
function headersOf({ target, user, userAgent }: PlainGet): Record<string, string> {
  return {
    Host: target.authority,
    ...(user === undefined ? {} : { Authorization: `Basic ${Buffer.from(user).toString('base64')}` }),
    // Its UTF-8, as Latin-1 characters.
    'User-Agent': Buffer.from(userAgent).toString('latin1'),
    Accept: '*/*',
  };
}

function follow(socket: Socket, progress: Progress): void {
  progress.isConnected = true;
  progress.remoteAddress = socket.remoteAddress ?? '';
  progress.remotePort = socket.remotePort ?? 0;
}
