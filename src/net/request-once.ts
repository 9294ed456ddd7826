import type { TlsAsk } from './dial/tls-ask.ts';
import { get } from './codec/get.ts';
import { requestParts } from './request-parts.ts';

export interface RequestOptions extends Pick<TlsAsk, 'caFile' | 'insecure' | 'certFile' | 'keyFile'> {
  readonly signal: AbortSignal;
  /** The method; the default is GET. No request has a body. */
  readonly method?: string;
  /** Whether a response with that status is complete only with its body, or the beginning of its body. */
  readonly awaitsBody?: (status: number) => boolean;
}

/** Maximum size of the body; the rest of a longer body is not waited for. */
const BODY_BYTES = 65_536;

/** A status that is no success, as a reason. Many servers answer with status 400 to plain text on a port for TLS. */
export function statusReason(status: number, { protocol }: URL): string {
  return `status ${status}${status === 400 && protocol === 'http:' ? '; if the server requires TLS, use https://' : ''}`;
}

/**
 * One request on a new connection, with the body discarded: for probes and waits, which a pooled connection to a dead
 * server must not mislead. No proxy is used.
 * @throws as get() and tlsOptions()
 */
export async function requestOnce(url: URL, options: RequestOptions): Promise<{ status: number }> {
  const { signal, method, awaitsBody, caFile, insecure, certFile, keyFile } = options;
  const { to, isTls, target, headers } = requestParts(url);
  let left = BODY_BYTES;
  return await get({
    to,
    tls: isTls ? { caFile, insecure, certFile, keyFile } : undefined,
    method,
    target,
    headers: Object.entries({ ...headers, connection: 'close' }),
    signal,
    onHead: ({ status }) => awaitsBody?.(status) === true,
    onBody: ({ length }) => (left -= length) > 0,
  });
}
