import { defined } from '../core/defined.ts';
import { get } from './codec/get.ts';
import { BODY_BYTES, type RequestOptions } from './request-options.ts';

/**
 * One request on a new connection, with the body discarded: for probes and waits, which a pooled connection to a dead
 * server must not mislead. Rejects with the system's error if there is no response.
 */
export async function requestOnce(url: URL, options: RequestOptions): Promise<{ status: number }> {
  const isPlain = url.protocol === 'http:' && (options.method ?? 'GET') === 'GET';
  if (isPlain) return await plain(url, options);
  // Loaded lazily: node:https costs half of Node's start time, which a request without TLS need not pay.
  const { requestByClient } = await import('./request-by-client.ts');
  return await requestByClient(url, options);
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
