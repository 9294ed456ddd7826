import { readFileSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

export interface RequestOptions {
  readonly signal: AbortSignal;
  /** PEM file; the authorities to trust instead of the well-known ones. */
  readonly caFile?: string | undefined;
  readonly insecure?: boolean;
  /** GET unless said; no request has a body. */
  readonly method?: string;
}

/**
 * One request on a connection of its own, whose body is thrown away: for probes and waits, which must not be fooled by a
 * pooled connection to a server that is long gone. Rejects with the system's error when there is no answer.
 */
export function requestOnce(url: URL, options: RequestOptions): Promise<{ status: number }> {
  const { signal, caFile, insecure = false, method = 'GET' } = options;
  const tls = url.protocol === 'https:';
  const ca = caFile === undefined ? undefined : readFileSync(caFile);
  return new Promise((resolve, reject) => {
    const request = (tls ? requestHttps : requestHttp)(url, {
      agent: false,
      method,
      signal,
      headers: { 'user-agent': 'kolla-pod', connection: 'close' },
      ...(tls ? { ca, rejectUnauthorized: !insecure } : {}),
    });
    request.once('response', (response) => {
      resolve({ status: response.statusCode ?? 0 });
      response.destroy();
    });
    request.once('error', reject);
    request.end();
  });
}
