import type { ServerResponse } from 'node:http';

/** One whole answer. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  /** Plain text unless said. */
  readonly type?: string;
}

export const NOT_FOUND: Answer = { status: 404, body: 'not found\n' };

/** Sends it, as the connection's last: whoever asks is a probe, which comes again on another. */
export function respond(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, headersOf(answer));
  response.end(answer.body);
}

export function headersOf({ body, type = 'text/plain; charset=utf-8' }: Answer): Record<string, string | number> {
  return {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  };
}
