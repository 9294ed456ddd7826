import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { request as requestHttp, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CurlError, curlErrorOf } from './failure.ts';
import type { Target } from './target.ts';
import type { CurlWords } from './words.ts';

/** When each step was done, in milliseconds since the beginning; a step that was not reached has none. */
export interface Progress {
  nameLookup?: number;
  connected?: number;
  tlsConnected?: number;
  requested?: number;
  answered?: number;
  bytes: number;
  socket?: { remote: Side; local: Side };
  response?: IncomingMessage;
}

interface Side {
  readonly address: string;
  readonly port: number;
}

/** Where the body goes: Kolla's /dev/null throws it away. */
type Output = (text: string) => void;

/**
 * One request and its whole answer, on a connection of its own and through no proxy; no redirect is followed.
 * @param progress filled as it goes, for what is told of a transfer that fails
 * @throws CurlError: 22 from status 400 on
 */
export async function transfer(
  target: Target,
  words: CurlWords,
  progress: Progress,
  { signal, now, stdout }: { readonly signal: AbortSignal; readonly now: () => number; readonly stdout: Output },
): Promise<void> {
  const connecting = words.connectTimeoutMs === 0 ? undefined : AbortSignal.timeout(words.connectTimeoutMs);
  const controller = new AbortController();
  const late = () => {
    if (progress.connected === undefined) controller.abort(new CurlError(28, 'Connection timed out'));
  };
  connecting?.addEventListener('abort', late, { once: true });
  const bounded = AbortSignal.any([signal, controller.signal]);
  try {
    const options = await optionsFor(target, words, bounded);
    const request = (target.isTls ? requestHttps : requestHttp)(options);
    request.once('socket', (socket) => follow(socket, progress, now));
    const response = await answerTo(request);
    progress.answered = now();
    progress.response = response;
    if ((response.statusCode ?? 0) >= 400) {
      response.destroy();
      throw new CurlError(22, `The requested URL returned error: ${response.statusCode}`);
    }
    response.on('data', (chunk: Buffer) => (progress.bytes += chunk.length));
    await pipeline(response, sinkOf(words.output, stdout), { signal: bounded });
  } catch (error) {
    if (controller.signal.aborted) throw controller.signal.reason;
    signal.throwIfAborted();
    if ((error as NodeJS.ErrnoException).code === 'ECONNRESET' && progress.answered !== undefined)
      throw new CurlError(18, 'transfer closed with outstanding read data remaining', { cause: error });
    throw curlErrorOf(error, target, progress.connected !== undefined);
  } finally {
    connecting?.removeEventListener('abort', late);
  }
}

async function optionsFor(target: Target, words: CurlWords, signal: AbortSignal): Promise<RequestOptions> {
  const { host, port, path } = target;
  const where = words.unixSocket === undefined ? { host, port } : { socketPath: words.unixSocket };
  const [cert, key] = await Promise.all([words.certificate, words.key].map((file) => fileOf(file, signal)));
  const pair = cert === undefined ? {} : { cert, key: key ?? cert };
  return {
    ...where,
    path,
    method: words.method ?? (words.isHead ? 'HEAD' : 'GET'),
    headers: headersOf(target, words),
    agent: false,
    setHost: false,
    signal,
    ...(words.family === undefined ? {} : { family: words.family }),
    // Kolla's script says -k.
    ...(target.isTls ? { ...pair, rejectUnauthorized: false, ...(isIP(host) === 0 ? { servername: host } : {}) } : {}),
  };
}

async function fileOf(file: string | undefined, signal: AbortSignal): Promise<Buffer | undefined> {
  if (file === undefined) return undefined;
  return await readFile(file, { signal }).catch((cause: unknown) => {
    throw new CurlError(58, `could not load the client certificate ${file}`, { cause });
  });
}

/** curl's own, then those of -H: a name without a value takes its header away. */
function headersOf(target: Target, words: CurlWords): Record<string, string> {
  const user = words.user ?? target.user;
  const headers = new Map<string, [name: string, value: string]>();
  const put = (name: string, value: string) => void headers.set(name.toLowerCase(), [name, value]);
  put('Host', target.authority);
  if (user !== undefined) put('Authorization', `Basic ${Buffer.from(withColon(user)).toString('base64')}`);
  put('User-Agent', words.userAgent);
  put('Accept', '*/*');
  for (const header of words.headers) {
    const [, name = '', value = ''] = /^([^:]*):\s*(.*)$/s.exec(header) ?? [];
    if (value === '') headers.delete(name.toLowerCase());
    else put(name, value);
  }
  return Object.fromEntries(headers.values());
}

/** Of a user alone curl would ask a terminal for the password. */
function withColon(user: string): string {
  return user.includes(':') ? user : `${user}:`;
}

function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    // Stays: an error after the answer is the body's as well, and would end the process where nobody listens.
    request.on('error', reject);
    request.end();
  });
}

function follow(socket: Socket, progress: Progress, now: () => number): void {
  socket.once('lookup', () => (progress.nameLookup = now()));
  socket.once('connect', () => {
    progress.connected = now();
    progress.requested ??= now();
    const { remoteAddress = '', remotePort = 0, localAddress = '', localPort = 0 } = socket;
    progress.socket = {
      remote: { address: remoteAddress, port: remotePort },
      local: { address: localAddress, port: localPort },
    };
  });
  socket.once('secureConnect', () => {
    progress.tlsConnected = now();
    progress.requested = now();
  });
}

function sinkOf(output: string, stdout: Output): Writable {
  if (output !== '-' && output !== '/dev/null') return createWriteStream(output);
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (output === '-') stdout(chunk.toString());
      done();
    },
  });
}
