import { readFileSync } from 'node:fs';
import type { LookupFunction } from 'node:net';
import { defined } from '../core/defined.ts';
import { get } from './codec/get.ts';

export interface RequestOptions {
  readonly signal: AbortSignal;
  /** PEM file of the CA bundle to trust instead of the well-known CAs. */
  readonly caFile?: string | undefined;
  readonly insecure?: boolean;
  /** Instead of Node's own. */
  readonly lookup?: LookupFunction;
  /** GET by default; no request has a body. */
  readonly method?: string;
  /** Whether an answer with that status counts only when its body has come as well, or much of it. */
  readonly awaitsBody?: (status: number) => boolean;
}

/** Of a longer body the rest is not waited for. */
const BODY_BYTES = 65_536;

/**
 * One request on a connection of its own, whose body is thrown away: for probes and waits, which must not be fooled by a
 * pooled connection to a server that is long gone. Rejects with the system's error when there is no answer.
 */
export async function requestOnce(url: URL, options: RequestOptions): Promise<{ status: number }> {
  const isPlain = url.protocol === 'http:' && (options.method ?? 'GET') === 'GET';
  return isPlain ? await plain(url, options) : await withClient(url, options);
}

async function plain(url: URL, { signal, lookup, awaitsBody }: RequestOptions): Promise<{ status: number }> {
  const { hostname, port, host, pathname, search, username, password } = url;
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  let left = BODY_BYTES;
  return await get({
    to: { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) || 80, ...defined({ lookup }) },
    target: pathname + search,
    headers: [
      ['Host', host],
      ['User-Agent', 'kolla-pod'],
      ...(login === ':' ? [] : [['Authorization', `Basic ${Buffer.from(login).toString('base64')}`] as const]),
      ['Connection', 'close'],
    ],
    signal,
    onHead: ({ status }) => awaitsBody?.(status) === true,
    onBody: ({ length }) => (left -= length) > 0,
  });
}

async function withClient(url: URL, options: RequestOptions): Promise<{ status: number }> {
  const { signal, caFile, insecure = false, lookup, method, awaitsBody } = options;
  const ca = caFile === undefined || url.protocol !== 'https:' ? undefined : readFileSync(caFile);
  // Lazy, because node:https costs half of Node's own start, which a request without TLS need not pay.
  const { send } = await import('./client.ts');
  const connection = defined({ ca, lookup, rejectUnauthorized: insecure ? false : undefined });
  return await send({ url, method, signal, connection }, async (response) => {
    const status = response.statusCode ?? 0;
    let left = BODY_BYTES;
    if (awaitsBody?.(status) === true)
      for await (const chunk of response as AsyncIterable<Buffer>) if ((left -= chunk.length) <= 0) break;
    response.destroy();
    return { status };
  });
}
