import { request as requestHttp, type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { bodyOf } from '../../net/http/body.ts';

export interface HttpCall {
  readonly url: URL;
  readonly agent: Agent;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
  readonly signal: AbortSignal;
}

export interface HttpReply {
  readonly status: number;
  readonly body: Buffer;
}

const CONNECT_MS = 10_000;
/** A bulk that takes longer is asked again; its ids tell what was in. */
const ANSWER_MS = 60_000;
/** Each of our kept connections may have been closed by the other side meanwhile. */
const STALE_CONNECTIONS = 3;

/**
 * One request and its whole reply, whatever its status. A kept connection that was closed just as we used it is no
 * failure: the request is made again on another. Rejects with the system's error, or the signal's reason.
 */
export async function exchange(call: HttpCall): Promise<HttpReply> {
  for (let stale = 0; ; stale++) {
    const tried = attempt(call);
    try {
      return await tried.reply;
    } catch (error) {
      call.signal.throwIfAborted();
      if (!isStale(tried.request, error) || stale === STALE_CONNECTIONS) throw error;
    }
  }
}

function isStale({ reusedSocket }: ClientRequest, error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
}

function attempt({ url, agent, method, headers, body, signal }: HttpCall) {
  const length = body === undefined ? {} : { 'content-length': String(body.length) };
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    agent,
    method,
    headers: { accept: 'application/json', 'user-agent': 'kolla-pod', ...headers, ...length },
  });
  const late = (ms: number, what: string) =>
    setTimeout(() => request.destroy(new Error(`${what} in ${ms / 1000} s`)), ms);
  let timer = late(CONNECT_MS, 'no connection');
  const connected = () => {
    clearTimeout(timer);
    timer = late(ANSWER_MS, 'no answer');
  };
  request.once('socket', (socket) => (socket.connecting ? socket.once('connect', connected) : connected()));
  const abort = () => request.destroy(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  const reply = new Promise<HttpReply>((resolve, reject) => {
    request.once('response', (response) => void replyOf(response).then(resolve, reject));
    // Stays: there may be one after the answer.
    request.on('error', reject);
  }).finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    // An early answer, such as 413: the body's memory must not be read any more.
    if (!request.writableFinished) request.destroy();
  });
  if (signal.aborted) abort();
  else request.end(body);
  return { request, reply };
}

async function replyOf(response: IncomingMessage): Promise<HttpReply> {
  return { status: response.statusCode ?? 0, body: await bodyOf(response) };
}
