import { readFileSync } from 'node:fs';
import { defined } from '../core/defined.ts';
import { send } from './client.ts';
import { BODY_BYTES, type RequestOptions } from './request-options.ts';

/** requestOnce() for requests other than a plain GET. */
export async function requestByClient(url: URL, options: RequestOptions): Promise<{ status: number }> {
  const { signal, caFile, insecure = false, lookup, method, awaitsBody } = options;
  const ca = caFile === undefined || url.protocol !== 'https:' ? undefined : readFileSync(caFile);
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
