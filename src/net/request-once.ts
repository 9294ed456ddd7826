import type { TlsAsk } from './dial/tls-ask.ts';
import { get } from './codec/get.ts';

export interface RequestOptions extends Pick<TlsAsk, 'caFile' | 'insecure'> {
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
 * @throws as get(); ConfigError for a CA bundle
 */
export async function requestOnce(url: URL, options: RequestOptions): Promise<{ status: number }> {
  const { signal, method, awaitsBody, caFile, insecure } = options;
  const { protocol, hostname, port, host, pathname, search, username, password } = url;
  const isTls = protocol === 'https:';
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  let left = BODY_BYTES;
  return await get({
    to: { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) || (isTls ? 443 : 80) },
    tls: isTls ? { caFile, insecure } : undefined,
    method,
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
