import { isIP, type Socket } from 'node:net';
import type { Target } from './target.ts';

/** Whether this binary supports https; otherwise the image's curl is used (src/engine/curl-tls.ts). */
export const speaksTls: boolean = true;

export interface TlsGet {
  readonly target: Target;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly onSocket: (socket: Socket) => void;
  readonly onStatus: (status: number) => void;
  readonly onBody: (bytes: number) => void;
}

/**
 * Sends one GET over https. The body is read unless the status is an error. Certificates are not verified, as in
 * Kolla's script (-k).
 */
export async function getByTls({ target, headers, signal, onSocket, onStatus, onBody }: TlsGet): Promise<void> {
  const { host, authority, path } = target;
  // Loaded lazily: TLS costs half of Node's start time.
  const { send } = await import('../../../net/client.ts');
  const request = {
    url: new URL(`https://${authority}`),
    // The path as the user wrote it, because a URL would be normalized.
    path,
    signal,
    headers,
    connection: { rejectUnauthorized: false, ...(isIP(host) === 0 ? { servername: host } : {}) },
    onSocket,
  };
  await send(request, async (response) => {
    const status = response.statusCode ?? 0;
    onStatus(status);
    if (status < 400) for await (const chunk of response as AsyncIterable<Buffer>) onBody(chunk.length);
    response.destroy();
  });
}
