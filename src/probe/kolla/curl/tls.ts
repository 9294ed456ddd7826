import { isIP, type Socket } from 'node:net';
import type { Target } from './target.ts';

/** Whether https is ours to ask; else it is the image's curl's (src/engine/curl-tls.ts). */
export const speaksTls: boolean = true;

export interface TlsGet {
  readonly target: Target;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly onSocket: (socket: Socket) => void;
  readonly onStatus: (status: number) => void;
  readonly onBody: (bytes: number) => void;
}

/** One GET by https, whose body is read unless it is a refusal; no certificate is checked, as Kolla's script says -k. */
export async function getByTls({ target, headers, signal, onSocket, onStatus, onBody }: TlsGet): Promise<void> {
  const { host, authority, path } = target;
  // Lazy, because TLS costs half of Node's own start.
  const { send } = await import('../../../net/client.ts');
  const request = {
    url: new URL(`https://${authority}`),
    // As it is written: a URL would be made plain.
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
