import { readFileSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';

export interface RequestOptions {
  readonly signal: AbortSignal;
  /** PEM file; the authorities to trust instead of the well-known ones. */
  readonly caFile?: string | undefined;
  readonly insecure?: boolean;
  /** Instead of Node's own. */
  readonly lookup?: LookupFunction;
  /** GET unless said; no request has a body. */
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
export function requestOnce(url: URL, options: RequestOptions): Promise<{ status: number }> {
  const { signal, caFile, insecure = false, lookup, method = 'GET', awaitsBody } = options;
  const tls = url.protocol === 'https:';
  const ca = caFile === undefined ? undefined : readFileSync(caFile);
  return new Promise((resolve, reject) => {
    const request = (tls ? requestHttps : requestHttp)(url, {
      agent: false,
      method,
      signal,
      headers: { 'user-agent': 'kolla-pod', connection: 'close' },
      ...(lookup === undefined ? {} : { lookup }),
      ...(tls ? { ca, rejectUnauthorized: !insecure } : {}),
    });
    request.once('response', (response) => {
      const status = response.statusCode ?? 0;
      const end = () => {
        resolve({ status });
        response.destroy();
      };
      if (awaitsBody?.(status) !== true) return end();
      let left = BODY_BYTES;
      response.on('data', (chunk: Buffer) => (left -= chunk.length) <= 0 && end());
      response.once('end', end);
      response.on('error', reject);
    });
    // Stays: with a body to wait for, there may be one after the answer.
    request.on('error', reject);
    request.end();
  });
}
