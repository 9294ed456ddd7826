import { Agent as HttpAgent, request as requestHttp, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps, type RequestOptions } from 'node:https';
import { VERSION } from '../../cli/version.ts';
import { errorFrom } from './api-error.ts';
import type { Credentials } from './credentials.ts';

/** Answers of the API server. What watch.ts stands on, and what its tests put in its place. */
export interface Api {
  /** Opens a GET. Rejects with ApiError for any status but a success, with the system's error for no answer. */
  open(path: string, signal: AbortSignal): Promise<IncomingMessage>;
}

/** A Pod whose node lost the API server must notice: the kernel alone takes a quarter of an hour. */
const KEEPALIVE_MS = 10_000;
/** The server sends a watch's headers at once, whether or not there is something to tell. */
const HEADERS_MS = 30_000;

/** GETs over one pool of connections, with credentials as their files say at that moment. */
export class ApiClient implements Api, Disposable {
  readonly #credentials: (refused: boolean) => Promise<Credentials>;
  // client-node opens a connection for each call (kubernetes-client/javascript#2893).
  readonly #https = new HttpsAgent({ keepAlive: true, keepAliveMsecs: KEEPALIVE_MS, maxFreeSockets: 2 });
  readonly #http = new HttpAgent({ keepAlive: true, keepAliveMsecs: KEEPALIVE_MS, maxFreeSockets: 2 });

  constructor(credentials: (refused: boolean) => Promise<Credentials>) {
    this.#credentials = credentials;
  }

  async open(path: string, signal: AbortSignal): Promise<IncomingMessage> {
    let response = await this.#request(await this.#credentials(false), path, signal);
    if (response.statusCode === 401) {
      response.destroy();
      response = await this.#request(await this.#credentials(true), path, signal);
    }
    if (response.statusCode !== 200) throw await errorFrom(response);
    return response;
  }

  [Symbol.dispose](): void {
    this.#https.destroy();
    this.#http.destroy();
  }

  #request(credentials: Credentials, path: string, signal: AbortSignal): Promise<IncomingMessage> {
    const { server, request: settings, proxy } = credentials;
    const isTls = server.protocol === 'https:';
    // A server behind a path is how Rancher and others hand out theirs.
    const url = new URL(server.pathname.replace(/\/$/, '') + path, server);
    const options: RequestOptions = {
      ...settings,
      agent: proxy ?? (isTls ? this.#https : this.#http),
      signal,
      headers: {
        ...(settings.headers as OutgoingHttpHeaders),
        accept: 'application/json',
        'user-agent': `kolla-pod/${VERSION}`,
      },
    };
    return new Promise((resolve, reject) => {
      const request = (isTls ? requestHttps : requestHttp)(url, options);
      const late = setTimeout(() => request.destroy(new Error(`no answer in ${HEADERS_MS / 1000} s`)), HEADERS_MS);
      request.once('socket', (socket) => socket.setKeepAlive(true, KEEPALIVE_MS));
      request.once('response', (response) => {
        clearTimeout(late);
        // Who reads it is told; an error that comes before the reading must not end the process.
        response.on('error', () => {});
        resolve(response);
      });
      request.on('error', (error) => {
        clearTimeout(late);
        reject(error);
      });
      request.end();
    });
  }
}
